// Marks and lines for a terminal whose locale supports only ASCII and would show others as `_` or `?`.

/** A locale that names another character set, or the one of a time before there were any. A terminal without a locale is given what the rest of the console gives it. */
export const isPlain = (environment: Readonly<Record<string, string | undefined>>): boolean => {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || ''
  return locale !== '' && !/utf-?8/i.test(locale)
}

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
