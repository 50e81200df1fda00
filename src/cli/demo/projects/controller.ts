import type { ProjectData } from '../project-data.ts';
import { CONTROLLER_CHANGES } from './controller-changes.ts';
import { IGNITER } from './controller-files.ts';

const CI_FILE = `stages: [build, test, package]

firmware:
  stage: build
  script:
    - make firmware

unit-tests:
  stage: test
  script:
    - make test

burn-simulation:
  stage: test
  needs: [firmware]
  script:
    - ./simulate.sh --hours 24

package:
  stage: package
  script:
    - make package
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
    - if: $CI_COMMIT_TAG
`;

/** The firmware of the stoves. */
export const controller: ProjectData = {
  group: 'stoves',
  path: 'controller',
  name: 'Controller',
  description: 'Firmware of the pellet stoves, series 3',
  visibility: 'internal',
  author: 'yuki',
  files: {
    '.gitlab-ci.yml': CI_FILE,
    'README.md': `# Controller

Firmware of the pellet stoves of series 3: ignition, fuel, fan and display.

| Part | File |
|---|---|
| Ignition | \`src/igniter.c\` |
| Fuel | \`src/auger.c\` |
| Temperatures | \`src/sensors.c\` |

\`\`\`sh
make test        # on this machine
make firmware    # needs arm-none-eabi-gcc
\`\`\`

Changes that concern **safety** need a burn on the bench before they are merged.
`,
    Makefile:
      'SOURCES = $(wildcard src/*.c)\n\nfirmware: $(SOURCES)\n\tarm-none-eabi-gcc -Os -Wall -Werror -o firmware.elf $(SOURCES)\n\ntest:\n\t./run-tests.sh\n\npackage: firmware\n\tarm-none-eabi-objcopy -O binary firmware.elf firmware.bin\n',
    'src/igniter.h':
      '#ifndef IGNITER_H\n#define IGNITER_H\n\nenum igniter_state { IGNITER_OFF, IGNITER_STARTING, IGNITER_BURNING, IGNITER_FAILED };\n\nstruct igniter {\n    enum igniter_state state;\n    unsigned started_at;\n};\n\nenum igniter_state igniter_update(struct igniter *igniter, int exhaust_celsius, unsigned now);\n\n#endif\n',
    'src/igniter.c': IGNITER,
    'src/auger.c':
      '/* Turns the auger for a number of milliseconds: 1 g of pellets takes 90 ms. */\nint auger_milliseconds(int grams)\n{\n    return grams * 90;\n}\n',
    'src/sensors.c':
      '/* Converts the voltage of a thermocouple of type K to degrees Celsius. */\nint thermocouple_celsius(int microvolts)\n{\n    return microvolts / 41;\n}\n',
  },
  changes: CONTROLLER_CHANGES,
  issues: [
    {
      day: 52,
      title: 'Glass turns black within a week',
      description: 'Dealer in Graz, two stoves. Air intake is new.',
      author: 'greta',
      labels: ['bug'],
      closedAfter: 30,
      comments: [['yuki', 'Damp pellets. See the new page in the handbook.']],
    },
    {
      day: 190,
      title: 'Support the oxygen sensor of the 12 kW model',
      description: 'Samples arrive in week 30.',
      author: 'ingrid',
      labels: ['feature'],
      assignee: 'yuki',
    },
    {
      day: 270,
      title: 'Measure the temperature of the hopper',
      description: 'The norm requires it from next year on.',
      author: 'yuki',
      labels: ['safety'],
      assignee: 'samir',
      comments: [['samir', 'There is a free input on board 3.4, not on 3.3.']],
    },
    {
      day: 340,
      title: 'Stove beeps once at midnight',
      description: 'Only with firmware v3.3.0 and the night curve.',
      author: 'greta',
      labels: ['bug'],
      assignee: 'samir',
    },
    {
      day: 356,
      title: 'E03 although the door is closed',
      description: 'Serial number 330127. The switch is fine.',
      author: 'greta',
      labels: ['bug', 'safety'],
    },
  ],
};
