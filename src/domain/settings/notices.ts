import { safeText } from '../words/safe-text.ts'
import type { AttentionKind } from '../request/inbox.ts'

/** The ways to notify a person of a new item in the inbox. */
export interface NoticeSettings {
  /** Ring the bell of the terminal. */
  readonly bell: boolean
  /** Ask the terminal for a desktop notification (OSC 9 and OSC 777). */
  readonly osc: boolean
  /** Shell command, such as `notify-send aiswarm {text}`; the text is also in `AISWARM_NOTICE`. */
  readonly command: string
  /** Kinds of items that are listed only, never announced. */
  readonly quiet: readonly AttentionKind[]
}

export const plainNotices: NoticeSettings = { bell: true, osc: true, command: '', quiet: ['checkout'] }

/** The longest text that is announced, in characters. */
const LONGEST = 200

/** One line for all new items, made safe because it goes to a terminal and to the person's program. */
export const noticeText = (texts: readonly string[]): string => {
  const [first = ''] = texts
  const said = [...safeText(texts.length === 1 ? first : `${texts.length} items need you: ${first}; …`)]
  return said.length <= LONGEST ? said.join('') : `${said.slice(0, LONGEST - 1).join('')}…`
}

/**
 * The bytes for the terminal. The notifications end with ST, not with BEL, so that they ring no bell. tmux forwards
 * sequences in its own passthrough, with every escape doubled, and rings by itself.
 */
export const noticeBytes = (
  text: string,
  { bell, osc }: Pick<NoticeSettings, 'bell' | 'osc'>,
  { tmux }: { readonly tmux: boolean },
): string => {
  const said = noticeText([text])
  // Terminals that follow ConEmu would interpret a text that begins with `4;` as progress.
  const sequences = osc ? [`\u001b]9;aiswarm: ${said}\u001b\\`, `\u001b]777;notify;aiswarm;${said}\u001b\\`] : []
  return [
    ...(bell ? ['\u0007'] : []),
    ...sequences.map((one) => (tmux ? `\u001bPtmux;${one.replaceAll('\u001b', '\u001b\u001b')}\u001b\\` : one)),
  ].join('')
}

/** The variable that holds the text: a shell never parses a variable's value as a command. */
export const NOTICE_VARIABLE = 'AISWARM_NOTICE'

/**
 * The command with every word `{text}` replaced by the variable. Undefined if the text would be inside another word or
 * quotes: there it could become part of a command that a second shell parses.
 */
export const noticeCommand = (command: string): string | undefined => {
  const made = command.replace(
    /(?<=^|[\s;|&(])(?:\{text\}|"\{text\}"|'\{text\}')(?=$|[\s;|&)])/g,
    (word, at: number) => (isQuoted(command.slice(0, at)) ? word : `"$${NOTICE_VARIABLE}"`),
  )
  return made.includes('{text}') ? undefined : made
}

/** True if a quote in this piece of shell is still open at its end. */
const isQuoted = (before: string): boolean => {
  let open = ''
  for (let at = 0; at < before.length; at++) {
    const sign = before[at]!
    if (sign === '\\' && open !== "'") at += 1
    else if (open !== '' && sign === open) open = ''
    else if (open === '' && (sign === '"' || sign === "'" || sign === '`')) open = sign
  }
  return open !== ''
}
