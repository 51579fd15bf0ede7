import { openSync } from 'node:fs'
import { WriteStream } from 'node:tty'

/**
 * The stream for questions to a person: the terminal, because standard error may be redirected to a file, which is then
 * for errors only.
 */
export const terminalOutput = (): NodeJS.WriteStream => {
  if (process.stderr.isTTY) return process.stderr
  try {
    return new WriteStream(openSync('/dev/tty', 'w'))
  } catch {
    return process.stderr
  }
}
