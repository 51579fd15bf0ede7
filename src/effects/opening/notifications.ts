import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { NOTICE_VARIABLE, noticeCommand, noticeText } from '../../domain/settings/notices.ts'
import { logsFolder } from '../files/paths.ts'

/** Time limit of the notification command (ms). */
const PATIENCE = 10_000

/**
 * Runs the person's notification command and returns the failure as a sentence. `.aiswarm/logs/notices.log` gets its
 * output.
 */
export const announce = async (
  root: string,
  command: string,
  text: string,
  within = PATIENCE,
): Promise<string | null> => {
  const made = noticeCommand(command)
  if (made === undefined) return '{text} is not a separate word in it'
  const { runCommand } = await import('../processes/process.ts')
  mkdirSync(logsFolder(root), { recursive: true, mode: 0o700 })
  const { exitCode, timedOut } = await runCommand(made, {
    cwd: root,
    environment: { [NOTICE_VARIABLE]: noticeText([text]) },
    output: join(logsFolder(root), 'notices.log'),
    timeout: within,
  })
  if (timedOut) return `it did not exit within ${within / 1000} s`
  if (exitCode === 0) return null
  return exitCode === null ? 'it was killed by a signal' : `exit code ${exitCode}`
}

/** As `announce`, one at a time, and reports a failure once: a command that fails for one notice fails for the next. */
export const announcer = (
  root: string,
  command: () => string,
  report: (sentence: string) => void,
): ((text: string) => void) => {
  let told = ''
  let running = Promise.resolve()
  let waiting: string | undefined
  const next = async (): Promise<void> => {
    const text = waiting
    waiting = undefined
    const wanted = command()
    if (text === undefined || wanted === '') return
    const error = await announce(root, wanted, text)
    if (error !== null && error !== told) report(`The notify command failed: ${error}.`)
    told = error ?? ''
  }
  return (text) => {
    // While a command runs, only the latest of the other notices waits.
    waiting = text
    running = running.then(next, next)
  }
}
