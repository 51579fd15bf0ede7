// Marks and lines for a terminal whose locale supports only ASCII and would show others as `_` or `?`.

/** Replaces the characters that the console draws, one column each; letters of foreign text stay. */
export const inAscii = (frame: string): string =>
  frame.replace(drawn, (sign) => marks.get(sign) ?? (sign >= '\u2800' ? '*' : '+'))

/** Unlisted box lines are corners and crossings; braille is the line of a plot. */
const drawn = /[–—…‘’“”«»‹›⟨⟩µ·•×−‖←↑→↓↪✎✓✗✖⚑⚠⌂\u2500-\u259f\u25a0-\u25ff\u2800-\u28ff]/g

const marks: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '-': '–—−─━',
    '|': '│┃▆▇█',
    ':': '▃▄▅',
    '.': '·◌▁▂░',
    '#': '▒▓◆✎',
    '"': '“”',
    "'": '‘’',
    '<': '«‹⟨←◂◀',
    '>': '»›⟩→▸▶',
    '^': '↑▲▴',
    v: '↓▼▾✓',
    x: '×✗✖',
    o: '○◇',
    '*': '•●',
    '!': '⚑⚠',
    h: '⌂',
    '~': '…',
    '=': '‖',
    '%': '◍',
    '@': '◐',
    z: '◔',
    u: 'µ',
    '\\': '↪',
  }).flatMap(([mark, signs]) => [...signs].map((sign) => [sign, mark] as const)),
)
