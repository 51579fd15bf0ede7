import { safeText } from './safe-text.ts'
import type { AttentionKind } from './attention.ts'

/** How a person is told of what is new in the inbox. */
export interface NoticeSettings {
  readonly bell: boolean
  /** OSC 9 and OSC 777, which terminals show as a notification of the desktop. */
  readonly osc: boolean
  /** A shell command; the text is in AISWARM_NOTICE, and a word `{text}` of its own stands for it. Empty is none. */
  readonly command: string
  /** What is only listed, never announced. */
  readonly quiet: readonly AttentionKind[]
}

export const plainNotices: NoticeSettings = { bell: true, osc: true, command: '', quiet: [] }

/** The longest text that is announced, in characters. */
const LONGEST = 200

/** One line for all that is new, made safe: it goes to a terminal, and to a program of the person. */
export const noticeText = (texts: readonly string[]): string => {
  const [first = ''] = texts
  const said = [...safeText(texts.length === 1 ? first : `${texts.length} things wait for you: ${first}; …`)]
  return said.length <= LONGEST ? said.join('') : `${said.slice(0, LONGEST - 1).join('')}…`
}

/**
 * What is written to the terminal. The notifications end with ST, not with BEL, so that whoever wants no bell hears none.
 * tmux hands on what stands in its own passthrough, with every escape doubled, and rings by itself.
 */
export const noticeBytes = (text: string, { bell, osc }: Pick<NoticeSettings, 'bell' | 'osc'>, { tmux }: { readonly tmux: boolean }): string => {
  const said = noticeText([text])
  // A text that began with `4;` would be taken for progress by terminals that follow ConEmu.
  const sequences = osc ? [`\u001b]9;aiswarm: ${said}\u001b\\`, `\u001b]777;notify;aiswarm;${said}\u001b\\`] : []
  return [...(bell ? ['\u0007'] : []), ...sequences.map((one) => (tmux ? `\u001bPtmux;${one.replaceAll('\u001b', '\u001b\u001b')}\u001b\\` : one))].join('')
}

/** The variable that the text is in: a shell never reads what a variable holds as a command. */
export const NOTICE_VARIABLE = 'AISWARM_NOTICE'

/**
 * The command with every word `{text}` as the variable. Undefined where the text would stand inside of another word or of
 * quotes: there it could become part of a command that a second shell reads.
 */
export const noticeCommand = (command: string): string | undefined => {
  const made = command.replace(/(?<=^|[\s;|&(])(?:\{text\}|"\{text\}"|'\{text\}')(?=$|[\s;|&)])/g, (word, at: number) =>
    isQuoted(command.slice(0, at)) ? word : `"$${NOTICE_VARIABLE}"`,
  )
  return made.includes('{text}') ? undefined : made
}

/** Whether a quote that was opened in this piece of shell is still open at its end. */
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
