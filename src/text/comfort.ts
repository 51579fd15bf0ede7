// Themes, the strict mode, what is remembered, first steps.

export const themeText = {
  noColours: 'NO_COLOR is set in the environment, so there are no colours to choose.',
  chosen: (theme: string, background: string) => `Theme: ${theme}${background}.`,
  now: (theme: string) => `, ${theme} now`,
  notTold: ', which does not tell',
  names: { auto: 'as the background of the terminal', dark: 'dark', light: 'light', contrast: 'high contrast', mono: 'without colours' },
} as const

export const strictText = {
  needsLeader: (leader: string, key: string, does: string) => `Strict mode: ${leader} and then ${key} ${does}.`,
  saysYes: 'says yes',
  does: (label: string) => `does '${label}'`,
  isOff: 'The strict mode is off; console.strict in the configuration switches it on.',
  nextActs: 'The next key acts.',
} as const

export const notRemembered = (why: string): string => `It is not remembered for the next console: ${why}`

/** What to press next, for whoever has not put a task on the board yet. */
export const guideText = {
  newTask: (key: string) => `${key} puts a task on the board; an agent is started for it.`,
  install: "No agent found: see 'aiswarm doctor', then start anew.",
  newCommand: (key: string) => `${key} puts a task on the board; one with a command starts.`,
  find: (help: string, palette: string) => `${help} shows every key, ${palette} finds a command by its name.`,
  dismiss: (key: string) => `${key} takes these lines away for good.`,
} as const

/** Panes that are zoomed, hidden and resized. */
export const arrangementText = {
  zoomed: 'The pane is zoomed; {zoom} shows the others again.',
  isZoomed: 'zoomed, {zoom} shows all',
  areHidden: (keys: string) => `hidden: ${keys}`,
  lastPane: 'This is the last pane; the number of another shows that again.',
  isHidden: (pane: string, key: string) => `${pane} is hidden; ${key} brings it back.`,
  belowEachOther: 'The panes stand below each other here; {lower} and {taller} make one lower or taller.',
  besideEachOther: 'No other pane stands above or below it here; {wider} and {narrower} make it wider or narrower.',
  widest: 'It is as wide as it gets; {narrower} makes it narrower.',
  narrowest: 'It is as narrow as it gets; {wider} makes it wider.',
  tallest: 'It is as tall as it gets; {lower} makes it lower.',
  lowest: 'It is as low as it gets; {taller} makes it taller.',
  onePane: 'The terminal has room for one pane.',
  panes: { board: 'The board', agents: 'The list of agents', log: 'The log', worktrees: 'The list of worktrees' },
} as const

/** Why keys of the configuration cannot be had: sentences behind the name of the setting. */
export const bindingText = {
  refused: (id: string, problem: string) => `console.keys.${id}: ${problem}${problem.endsWith('?') ? '' : '.'}`,
  unknown: (id: string, keys: string, near: string) => `no key is called '${id}', so '${keys}' has nothing to do${near}`,
  didYouMean: (id: string) => `; did you mean ${id}?`,
  allNames: '; the names stand in the README, under Keys, and in the help once it is searched',
  answersForGood: (id: string, key: string) => `the key of '${id}' answers a question for good and stays '${key}'`,
  needsKey: (id: string) => `'${id}' needs a key`,
  cannotBe: (key: string, id: string, why: string) => `'${key}' cannot be the key of '${id}': ${why}`,
  leaves: 'it leaves the console from anywhere',
  goesBack: 'it goes back',
  sameAs: (key: string) => `a terminal cannot tell it from ${key}`,
  noKey: 'no terminal sends it as one key',
  noLetter: 'it is no letter',
  letterIsText: 'where one types, a letter is text',
  taken: (key: string, id: string, other: string) => `'${key}' of '${id}' already is the key of '${other}'; give that another one as well`,
} as const
