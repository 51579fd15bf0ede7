import { readFile } from 'node:fs/promises'
import { Refusal } from '../../domain/rules/refusal.ts'
import { utf8 } from '../../memory/decode.ts'
import { isFormatError } from '../../memory/format-error.ts'
import type { Words } from './words.ts'

/** The streams of a command. Text on `out` is the result; everything else belongs on `err`. */
export interface Streams {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly stdinIsTerminal: boolean
  readonly stdoutIsTerminal: boolean
  /** The present width of the terminal; undefined without one. */
  readonly columns?: () => number | undefined
  /** All of standard input, for `task import -`. */
  readonly readInput: () => Promise<string>
  /**
   * Asks a question on the terminal itself, wherever `out` and `err` go, and returns one typed line; `above` is shown
   * before it. What is typed to a secret question is not shown.
   */
  readonly ask: (question: string, above: string, isSecret?: boolean) => Promise<string>
  /** Aborted by Ctrl-C: ends `--follow` and `--watch`. */
  readonly signal?: AbortSignal
}

/** The words of a command, with the contents of the files that it names in the place of their names. */
export const withContents = async <W extends Readonly<Record<string, unknown>>>(
  words: Words,
  meaning: W,
  streams: Streams,
): Promise<W> => {
  const contents: Record<string, string> = {}
  for (const [key, { content }] of Object.entries(words))
    if (content && meaning[key] !== undefined) contents[key] = await readText(meaning[key] as string, streams)
  return { ...meaning, ...contents }
}

/** The text of a file that the command line names; `-` is standard input. */
export const readText = async (file: string, streams: Streams): Promise<string> => {
  try {
    if (file === '-') return await streams.readInput()
    return utf8(await readFile(file), file)
  } catch (error) {
    if (isFormatError(error)) throw new Refusal('file_unreadable', error.message, { cause: error })
    const code = (error as NodeJS.ErrnoException).code
    throw new Refusal(
      'file_unreadable',
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read (${code}).`,
      { cause: error },
    )
  }
}
