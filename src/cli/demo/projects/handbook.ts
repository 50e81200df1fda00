import type { ProjectData } from '../project-data.ts';

const CI_FILE = `stages: [check, publish]

spelling:
  stage: check
  script:
    - vale --minAlertLevel=error pages

links:
  stage: check
  script:
    - lychee --offline pages

publish:
  stage: publish
  script:
    - mdbook build
  environment:
    name: handbook
    url: https://handbook.northfire.example
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
`;

/** The public handbook for installers and owners. */
export const handbook: ProjectData = {
  group: 'online',
  path: 'handbook',
  name: 'Handbook',
  description: 'How to install, use and look after a Northfire stove',
  visibility: 'public',
  author: 'pavel',
  files: {
    '.gitlab-ci.yml': CI_FILE,
    'README.md': `# Northfire handbook

This handbook is for people who own a Northfire pellet stove and for those who install it.

| Chapter | For |
|---|---|
| [Installation](pages/installation.md) | installers |
| [First fire](pages/first-fire.md) | owners |
| [Cleaning](pages/cleaning.md) | owners |

Something is wrong or missing? **Open an issue**, or press *Edit* on the page and send a merge request.
`,
    'pages/installation.md': `# Installation

1. Put the stove on a level, fireproof plate.
2. Keep 20 cm to walls and 80 cm in front of the glass.
3. Connect the flue: at most two bends of 45 degrees.
4. Connect the air intake. The stove must not take air from the room.
`,
    'pages/first-fire.md': `# The first fire

Fill the hopper with pellets of class A1. Press **Start**. The stove ignites within six minutes.

The paint hardens during the first fire: open a window, the smell is gone after an hour.
`,
    'pages/cleaning.md': `# Cleaning

| What | How often |
|---|---|
| Burn pot | each week |
| Glass | when you no longer see the fire |
| Ash drawer | each 100 kg of pellets |
| Flue | once a year, by a chimney sweep |
`,
  },
  changes: [
    {
      day: 24,
      branch: 'pellet-quality',
      title: 'Explain which pellets to buy',
      author: 'greta',
      reviewer: 'lucia',
      labels: ['documentation'],
      issue: {
        title: 'Owners ask which pellets they may burn',
        description: 'Eleven calls in October. Most had pellets without a class on the bag.',
        author: 'greta',
        labels: ['documentation'],
        comments: [['ingrid', 'Please name the class, not brands.']],
      },
      commits: [
        {
          message: 'Explain which pellets to buy',
          files: {
            'pages/pellets.md': `# Pellets

Burn pellets of **ENplus A1** only: 6 mm, at most 0.7 % ash. Store them dry.

Damp pellets swell and block the auger. The display then shows \`E04\`.
`,
          },
        },
      ],
      review: ['Should we say what to do after E04?', 'That is a page of its own, I have it as a draft.'],
    },
    {
      day: 87,
      branch: 'error-codes',
      title: 'List all error codes of the display',
      author: 'greta',
      reviewer: 'pavel',
      labels: ['documentation'],
      commits: [
        {
          message: 'List all error codes',
          files: {
            'pages/error-codes.md': `# Error codes

| Code | Meaning | What to do |
|---|---|---|
| E01 | No ignition after ten minutes | empty the burn pot, start again |
| E02 | Exhaust too hot | let the stove cool down, call your installer |
| E03 | Door open | close the door |
| E04 | Auger blocked | empty the hopper, remove damp pellets |
`,
          },
        },
        {
          message: 'Say when to call an installer',
          files: {
            'pages/support.md':
              '# Support\n\nCall your installer after **E02**, and after any code that comes back within a day.\n',
          },
        },
      ],
    },
    {
      day: 178,
      branch: 'summer',
      title: 'Add a page about the summer',
      author: 'lucia',
      reviewer: 'greta',
      labels: ['documentation'],
      failsFirst: true,
      commits: [
        {
          message: 'Add a page about the summer',
          files: {
            'pages/summer.md': '# Summer\n\nEmpty the hopper, clean the burn pot and [close the flue](flue.md).\n',
          },
        },
        {
          message: 'Link to a page that exists',
          files: {
            'pages/summer.md':
              '# Summer\n\nEmpty the hopper, clean the burn pot and close the flue. [Cleaning](cleaning.md) says how.\n',
          },
        },
      ],
    },
    {
      day: 262,
      branch: 'app-pairing',
      title: 'Describe how to pair the app',
      author: 'greta',
      reviewer: 'lucia',
      labels: ['documentation', 'feature'],
      commits: [
        {
          message: 'Describe how to pair the app',
          files: {
            'pages/app.md': `# The app

1. Hold **Wi-Fi** on the display for three seconds. The light blinks.
2. Open the app and choose *Add a stove*.
3. Type the six digits that the display shows.

The code is valid for two minutes.
`,
          },
        },
      ],
      review: [
        'The digits are valid for five minutes since 3.2.',
        'Checked on the bench: two minutes. The release notes are wrong.',
      ],
    },
    {
      day: 361,
      branch: 'french',
      title: 'Translate the first pages to French',
      author: 'lucia',
      reviewer: 'ingrid',
      labels: ['documentation'],
      outcome: 'open',
      commits: [
        {
          message: 'Translate the page about the first fire',
          files: {
            'pages/fr/premier-feu.md':
              '# Le premier feu\n\nRemplissez la trémie de granulés de classe A1. Appuyez sur **Start**.\n',
          },
        },
        {
          message: 'Translate the page about cleaning',
          files: { 'pages/fr/nettoyage.md': '# Nettoyage\n\nVidez le creuset chaque semaine.\n' },
        },
      ],
      review: ['Can somebody in Lyon read this before we publish it?', 'I have asked the dealer there.'],
    },
  ],
  issues: [
    {
      day: 130,
      title: 'Photo of the flue shows the old model',
      description: 'Page *Installation*, third step.',
      author: 'greta',
      labels: ['documentation'],
      closedAfter: 12,
    },
    {
      day: 300,
      title: 'Print version of the handbook',
      description: 'Dealers want a PDF to hand out.',
      author: 'ingrid',
      labels: ['feature'],
      assignee: 'lucia',
      comments: [['lucia', 'mdBook can do that, half a day.']],
    },
    {
      day: 350,
      title: 'Say how loud the stove is',
      description: 'Customers compare the numbers of other makers.',
      author: 'greta',
      labels: ['documentation'],
      assignee: 'ingrid',
    },
  ],
};
