import { readFile } from 'node:fs/promises'
import { Refusal } from '../../domain/rules/refusal.ts'
import { utf8 } from '../../memory/decode.ts'
import { isFormatError } from '../../memory/format-error.ts'
import type { Streams } from './services.ts'

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
