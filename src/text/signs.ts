// What is drawn with a sign, in words: a screen reader would read the name of the character, or nothing.

/** The sentence that a line of ours is, without its columns; what others wrote is read as it stands, and does not come here. */
export const inWords = (line: string): string =>
  words
    .reduce((text, [sign, word]) => text.replace(sign, word), line)
    .replace(gaps, (_, before: string) => (before === '' || /[,:;.…]/.test(before) ? `${before} ` : `${before}, `))
    .replace(/ {2,}/g, ' ')
    .replace(/^[\s,]+| +$/g, '')

/** In their order: what stands with a number or a word first, then what a sign says alone, then what only draws. */
/** Stands before the title of a task whose agent works in the main checkout. */
export const IN_MAIN_CHECKOUT = '⌂'

const words: readonly (readonly [RegExp, string])[] = [
  [/⟨([0-9A-F]{2,6})⟩/g, ' hidden character $1 '],
  [/•+/g, 'masked'],
  [/\+(\d+) +[−-](\d+)/g, '$1 added, $2 removed'],
  [/−(?=\d)/g, 'minus '],
  // The bar of a file says what its numbers have said.
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
  // Many words say themselves what the sign before them shows.
  [/✗ ?(?=.{0,24}(?:failed|unverified))/g, ''],
  [/(failed) ✗/g, '$1'],
  [/✗/g, 'failed'],
  [/✓ (?=(?:approved|accepted|completed|done|integrated|resolved|succeeded|task done)\b)/g, ''],
  [/([Vv]erified) ✓/g, '$1'],
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

/** Columns stand apart; a sentence has a comma there. */
const gaps = /(\S?) {2,}(?=\S)/g
