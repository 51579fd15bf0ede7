// Signs as words, because a screen reader reads the character's name or nothing.

/** A line of the console as a sentence without columns. Text from outside does not pass here. */
export const inWords = (line: string): string =>
  words
    .reduce((text, [sign, word]) => text.replace(sign, word), line)
    .replace(gaps, (_, before: string) => (before === '' || /[,:;.…]/.test(before) ? `${before} ` : `${before}, `))
    .replace(/ {2,}/g, ' ')
    .replace(/^[\s,]+| +$/g, '')

/** Marks the title of a task whose agent works in the main checkout. */
export const IN_MAIN_CHECKOUT = '⌂'

/** Ordered: signs beside a number or a word, then single signs, then box drawing. */
const words: readonly (readonly [RegExp, string])[] = [
  [/⟨([0-9A-F]{2,6})⟩/g, ' hidden character $1 '],
  [/•+/g, 'masked'],
  [/\+(\d+) +[−-](\d+)/g, '$1 added, $2 removed'],
  [/−(?=\d)/g, 'minus '],
  // The bar of a file repeats its numbers.
  [/ [+−]+\s*$/g, ''],
  [/ ×(\d+)/g, ' $1 times'],
  [/(\d)×(?=\d)/g, '$1 by '],
  [/ × /g, ' and '],
  [/(?<=[\w)]{2}) → (?=\w)|(?<=\w)→(?=\w)/g, ' to '],
  [/← →/g, 'left and right'],
  [/↑/g, 'up'],
  [/↓/g, 'down'],
  [/←/g, 'left'],
  [/→/g, 'right'],
  // Some words repeat the sign before them.
  [/✗ ?(?=.{0,24}(?:failed|unverified))/g, ''],
  [/(failed) ✗/g, '$1'],
  [/✗/g, 'failed'],
  [/✓ (?=(?:approved|accepted|completed|done|integrated|passed|resolved|succeeded|task done)\b)/g, ''],
  [/([Vv]erified|passed) ✓/g, '$1'],
  [/✓/g, 'ok'],
  [/○ (?=(?:pending|idle)\b)/g, ''],
  [/○/g, 'open'],
  [/● (?=(?:active|claimed|running|working)\b)/g, ''],
  [/●/g, 'now'],
  [/⌂/g, 'in the main checkout'],
  [/⚠/g, 'warning'],
  [/✎/g, 'remark:'],
  [/ ?· ?/g, ', '],
  [/[\u2500-\u259f\u2800-\u28ff▲▴▶▸▼▾◀◂◆◇◌◍◐◔‖⚑↪‹›]/g, ''],
]

/** The gap between columns becomes a comma. */
const gaps = /(\S?) {2,}(?=\S)/g
