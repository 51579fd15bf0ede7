// Marks and lines for a terminal whose locale has no more than ASCII: anything else it would show as `_` or `?`.

/** What the console draws with, a column for a column; a text that others wrote keeps its letters. */
export const inAscii = (frame: string): string => frame.replace(drawn, (sign) => marks.get(sign) ?? (sign >= '\u2800' ? '*' : '+'))

/** Box lines that are not listed are corners and crossings; braille is the line of a plot. */
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
