import { readFile } from 'node:fs/promises'
import { Refusal } from '../domain/refusal.ts'
import type { Streams } from './services.ts'

/** The text of a file that the command line names, `-` being standard input. */
export const readText = async (file: string, streams: Streams): Promise<string> => {
  if (file === '-') return streams.readInput()
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    throw new Refusal('file_unreadable', code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read (${code}).`, { cause: error })
  }
}
