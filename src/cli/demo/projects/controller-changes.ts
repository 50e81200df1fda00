import type { ChangeData } from '../project-data.ts';
import { IGNITER } from './controller-files.ts';

/** The merge requests of the project `controller`. */
export const CONTROLLER_CHANGES: readonly ChangeData[] = [
  {
    day: 9,
    branch: 'sensor-filter',
    title: 'Filter the exhaust temperature',
    author: 'samir',
    reviewer: 'yuki',
    labels: ['bug', 'safety'],
    issue: {
      title: 'Stove stops with E02 although it is not hot',
      description:
        'Three customers this week. The log shows single values of **999 °C** between values of about 180 °C.\n\nSerial numbers: 310442, 310518, 310760.',
      author: 'greta',
      labels: ['bug', 'safety'],
      comments: [
        ['samir', 'The fan disturbs the thermocouple when it starts. I can reproduce it on the bench.'],
        ['yuki', 'A median of five values would be enough. Keep the reaction below two seconds.'],
      ],
    },
    commits: [
      {
        message:
          'Filter the exhaust temperature\n\nThe fan disturbs single values when it starts. The median of five\nvalues reacts within one second.',
        files: {
          'src/filter.c': `/* Returns the median of five values. */
int median_of_five(const int values[5])
{
    int sorted[5];
    for (int i = 0; i < 5; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > values[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = values[i];
    }
    return sorted[2];
}
`,
        },
      },
      {
        message: 'Test the filter with the log of stove 310442',
        files: {
          'tests/test_filter.c':
            '#include <assert.h>\n\nint median_of_five(const int values[5]);\n\nint main(void)\n{\n    assert(median_of_five((int[]){ 181, 999, 180, 182, 181 }) == 181);\n    return 0;\n}\n',
        },
      },
    ],
    review: ['Burned for six hours on the bench: no E02.', 'Thanks! I add the log to the tests.'],
    release: 'v3.0.1',
  },
  {
    day: 37,
    branch: 'auger-blockage',
    title: 'Detect a blocked auger',
    author: 'samir',
    reviewer: 'yuki',
    labels: ['feature'],
    failsFirst: true,
    commits: [
      {
        message: 'Detect a blocked auger by its current',
        files: {
          'src/auger.c':
            '#define BLOCKED_MILLIAMPERES 400\n\n/* Turns the auger for a number of milliseconds: 1 g of pellets takes 90 ms. */\nint auger_milliseconds(int grams)\n{\n    return grams * 90;\n}\n\nint auger_is_blocked(int milliamperes)\n{\n    return milliamperes > BLOCKED_MILLIAMPERES;\n}\n',
        },
      },
      {
        message: 'Ignore the current in the first 200 ms\n\nThe motor takes 600 mA when it starts.',
        files: {
          'src/auger.c':
            '#define BLOCKED_MILLIAMPERES 400\n#define START_MILLISECONDS 200\n\n/* Turns the auger for a number of milliseconds: 1 g of pellets takes 90 ms. */\nint auger_milliseconds(int grams)\n{\n    return grams * 90;\n}\n\nint auger_is_blocked(int milliamperes, int milliseconds)\n{\n    return milliseconds > START_MILLISECONDS && milliamperes > BLOCKED_MILLIAMPERES;\n}\n',
        },
      },
    ],
    review: [
      'What about damp pellets? They block it slowly.',
      'The current rises for minutes then, the limit is enough.',
    ],
  },
  {
    day: 78,
    branch: 'eco-mode',
    title: 'Add an eco mode',
    author: 'yuki',
    reviewer: 'samir',
    labels: ['feature'],
    issue: {
      title: 'Eco mode for the shoulder season',
      description: 'In April and October the stove starts and stops ten times a day. It should burn low instead.',
      author: 'ingrid',
      labels: ['feature'],
      comments: [['greta', 'Our dealers ask for this most often.']],
    },
    commits: [
      {
        message: 'Add the eco mode',
        files: {
          'src/modes.c':
            'enum mode { MODE_NORMAL, MODE_ECO };\n\n/* Grams of pellets per minute. */\nint fuel_rate(enum mode mode, int room_celsius, int wanted_celsius)\n{\n    int missing = wanted_celsius - room_celsius;\n    if (mode == MODE_ECO)\n        return missing > 0 ? 8 : 5;\n    return missing > 2 ? 25 : missing > 0 ? 12 : 0;\n}\n',
        },
      },
    ],
    release: 'v3.1.0',
  },
  {
    day: 115,
    branch: 'watchdog',
    title: 'Stop the auger when the controller hangs',
    author: 'samir',
    reviewer: 'yuki',
    labels: ['safety'],
    commits: [
      {
        message:
          'Stop the auger when the controller hangs\n\nThe watchdog resets the controller after two seconds. The auger must\nnot turn until the first temperature has been read.',
        files: {
          'src/watchdog.c':
            '#define WATCHDOG_MILLISECONDS 2000\n\nint auger_may_turn(int has_temperature, int milliseconds_since_reset)\n{\n    return has_temperature && milliseconds_since_reset > WATCHDOG_MILLISECONDS;\n}\n',
        },
      },
    ],
    review: ['Please pull the plug of the sensor while it runs, too.', 'Tried: it stops within 1.4 s.'],
    release: 'v3.1.1',
  },
  {
    day: 151,
    branch: 'wifi-pairing',
    title: 'Pair with the app',
    author: 'samir',
    reviewer: 'yuki',
    labels: ['feature'],
    failsFirst: true,
    issue: {
      title: 'Control the stove with a phone',
      description:
        'First step: pairing by a code on the display.\n\n- [x] code on the display\n- [x] time limit\n- [ ] several phones',
      author: 'ingrid',
      labels: ['feature'],
    },
    commits: [
      {
        message: 'Show a pairing code',
        files: {
          'src/pairing.c':
            '#define CODE_SECONDS 300\n\nint pairing_is_valid(int code, int entered, int seconds)\n{\n    return code == entered && seconds < CODE_SECONDS;\n}\n',
        },
      },
      {
        message: 'Let codes expire after two minutes',
        files: {
          'src/pairing.c':
            '#define CODE_SECONDS 120\n\nint pairing_is_valid(int code, int entered, int seconds)\n{\n    return code == entered && seconds <= CODE_SECONDS;\n}\n',
        },
      },
    ],
  },
  {
    day: 215,
    branch: 'display-languages',
    title: 'Show the display in five languages',
    author: 'yuki',
    reviewer: 'samir',
    labels: ['feature'],
    commits: [
      {
        message: 'Add texts in five languages',
        files: {
          'src/texts.c':
            'const char *const START_TEXTS[] = { "Start", "Start", "Démarrer", "Avvia", "Iniciar" };\nconst char *const STOP_TEXTS[] = { "Stopp", "Stop", "Arrêter", "Ferma", "Parar" };\n',
        },
      },
    ],
    release: 'v3.2.0',
  },
  {
    day: 254,
    branch: 'faster-ignition',
    title: 'Ignite in five minutes',
    author: 'samir',
    reviewer: 'yuki',
    labels: ['feature'],
    commits: [{ message: 'Shorten the ignition', files: { 'src/igniter.c': IGNITER.replace('600', '480') } }],
    review: [
      'With damp pellets it fails on every third start. Let us keep ten minutes until we have the new igniter.',
      'I leave this open until the parts arrive.',
    ],
    outcome: 'closed',
  },
  {
    day: 281,
    branch: 'fan-curve',
    title: 'Make the fan quieter at night',
    author: 'yuki',
    reviewer: 'samir',
    labels: ['feature'],
    issue: {
      title: 'The fan is loud at night',
      description: 'At 22:00 a bedroom next door has 38 dB. The maker next door advertises 33.',
      author: 'greta',
      labels: ['feature'],
    },
    commits: [
      {
        message: 'Add a night curve of the fan',
        files: {
          'src/fan.c':
            '/* Percent of the full speed. */\nint fan_percent(int exhaust_celsius, int is_night)\n{\n    int percent = exhaust_celsius / 3;\n    int limit = is_night ? 45 : 100;\n    return percent > limit ? limit : percent;\n}\n',
        },
      },
    ],
    release: 'v3.2.1',
  },
  {
    day: 322,
    branch: 'error-memory',
    title: 'Remember the last twenty errors',
    author: 'samir',
    reviewer: 'yuki',
    labels: ['feature'],
    failsFirst: true,
    commits: [
      {
        message: 'Store errors in the flash',
        files: {
          'src/errors.c':
            '#define MAX_ERRORS 20\n\nstatic int codes[MAX_ERRORS];\nstatic int count;\n\nvoid error_store(int code)\n{\n    codes[count++] = code;\n}\n',
        },
      },
      {
        message: 'Overwrite the oldest error',
        files: {
          'src/errors.c':
            '#define MAX_ERRORS 20\n\nstatic int codes[MAX_ERRORS];\nstatic int count;\n\nvoid error_store(int code)\n{\n    codes[count++ % MAX_ERRORS] = code;\n}\n',
        },
      },
    ],
    review: ['The first version would write behind the array.', 'Right, the simulation found it as well.'],
    release: 'v3.3.0',
  },
  {
    day: 359,
    branch: 'second-phone',
    title: 'Pair with several phones',
    author: 'samir',
    reviewer: 'yuki',
    labels: ['feature'],
    outcome: 'open',
    commits: [
      {
        message: 'Store up to four phones',
        files: {
          'src/phones.c':
            '#define MAX_PHONES 4\n\nint phone_may_pair(int paired)\n{\n    return paired < MAX_PHONES;\n}\n',
        },
      },
      {
        message: 'Show the number of phones on the display',
        files: {
          'src/display.c':
            '#include <stdio.h>\n\nvoid display_phones(char *text, int paired)\n{\n    sprintf(text, "%d/4", paired);\n}\n',
        },
      },
    ],
    review: ['`sprintf` without a limit: please use `snprintf`.', 'I change that tomorrow.'],
  },
];
