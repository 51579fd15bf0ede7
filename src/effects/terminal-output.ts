import { openSync } from 'node:fs'
import { WriteStream } from 'node:tty'

/** Where a person is asked something: standard error may be a file, which is then for errors alone; the person sits at the terminal. */
export const terminalOutput = (): NodeJS.WriteStream => {
  if (process.stderr.isTTY) return process.stderr
  try {
    return new WriteStream(openSync('/dev/tty', 'w'))
  } catch {
    return process.stderr
  }
}
