import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { act } from '../../operations/perform/perform.ts'
import { readSessionReport } from '../../operations/sessions/report.ts'
import { type Answer, type Call, open } from '../call/command.ts'
import { reportPage } from '../report/page.ts'

interface ReportWords {
  readonly session: string | undefined
  readonly out: string | undefined
  readonly force: boolean
}

/**
 * Writes the page of a session atomically. Without a name it goes to a folder of aiswarm's that git ignores, and
 * replaces the page written there before; another file is overwritten only with `force`.
 */
export const reportSession = async (call: Call, { session, out, force }: ReportWords): Promise<Answer> => {
  const connection = await open(call)
  const report = await act(connection, readSessionReport, session === undefined ? {} : { sessionId: session })
  const file = resolve(out ?? join(reportsIn(connection.core.root), nameOf(report.session.id)))
  writeWhole(file, reportPage(report), force || out === undefined)
  return { json: { file, ...report }, text: file }
}

const reportsIn = (root: string): string => {
  const folder = join(root, '.aiswarm', 'reports')
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Session ids already have this prefix; characters that a file name cannot contain are replaced. */
const nameOf = (id: string): string => `session-${id.replace(/^session-/, '').replace(/[^\w.-]+/g, '-')}.html`

const writeWhole = (file: string, text: string, force: boolean): void => {
  if (existsSync(file) && statSync(file).isDirectory())
    throw new Refusal('path_exists', `${file} is a folder. Name a file with --out.`)
  const draft = join(dirname(file), `.${process.pid}.aiswarm-report.new`)
  try {
    writeFileSync(draft, text, { flag: 'wx' })
    if (force) renameSync(draft, file)
    else publish(draft, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw new Refusal(
        'path_exists',
        `${file} already exists. Overwrite it with --force, or name another file with --out.`,
        { cause: error },
      )
    if (code !== undefined) throw new Refusal('not_writable', `${file} cannot be written (${code}).`, { cause: error })
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * A hard link fails if the name exists, even if it was created this moment; a file system without links gets a copy
 * that fails the same way.
 */
const publish = (draft: string, file: string): void => {
  try {
    linkSync(draft, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
    copyFileSync(draft, file, constants.COPYFILE_EXCL)
  }
}
