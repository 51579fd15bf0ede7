// The grammar of the console's output: its own sequences and nothing else.

const pieces = [
  // Colours and weights; nothing hidden, nothing that blinks.
  '\\[(?:0|1|2|3|4|7|9|2[1-4]|27|29|[34][0-79]|9[0-7]|10[0-7]|[34]8;5;\\d{1,3}|[34]8;2;\\d{1,3};\\d{1,3};\\d{1,3}|;)*m',
  // Cursor moves, and erasing after the cursor.
  '\\[\\d*[ABCDEFG]',
  '\\[(?:\\d+;\\d+)?H',
  '\\[[02]?[JK]',
  // The cursor, the alternate screen, synchronised output, bracketed paste and the mouse.
  '\\[\\?(?:25|1049|2004|2026|1000|1002|1003|1006|1004|7)[hl]',
]

/** The question for the background, and the notifications of a terminal, whose words are the program's own. */
const strings = [
  '\\]11;\\?(?:\\u0007|\\u001b\\\\)',
  '\\](?:9;|777;notify;)[^\\u0000-\\u001f\\u007f-\\u009f]*(?:\\u0007|\\u001b\\\\)',
]

const own = new RegExp(`\\u001b(?:${[...pieces, ...strings].join('|')})|[\\r\\n\\u0007]`, 'gu')

/** The last piece may end in the middle of a sequence. */
// oxlint-disable-next-line no-control-regex -- escape sequences are what this is about
const unfinished = /\u001b(?:\[[?0-9;]*)?$/

const foreign =
  // oxlint-disable-next-line no-control-regex -- what must not be there
  /[\u0000-\u001f\u007f-\u009f]|[\ud800-\udfff]|(?![\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]|\p{M}{6}/u

/**
 * The part of a terminal's bytes that is not the console's own, with the words around it as a hint of its origin;
 * empty if there is none.
 */
export const foreignIn = (written: string): string => {
  const text = written.replace(unfinished, '').replace(own, '')
  const at = text.search(foreign)
  return at < 0 ? '' : JSON.stringify(text.slice(Math.max(0, at - 60), at + 60))
}
