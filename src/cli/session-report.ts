import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Refusal } from '../domain/refusal.ts'
import { act } from '../operations/kernel/perform.ts'
import { readSessionReport } from '../operations/read-session-report.ts'
import { type Answer, type Call, open } from './command.ts'
import { reportPage } from './report/page.ts'

export interface ReportWords {
  readonly session: string | undefined
  readonly out: string | undefined
  readonly force: boolean
}

/** Writes the page of a session: whole or not at all, and over nothing unless that is wanted. */
export const reportSession = async (call: Call, { session, out, force }: ReportWords): Promise<Answer> => {
  const report = await act(await open(call), readSessionReport, session === undefined ? {} : { sessionId: session })
  const file = resolve(out ?? nameOf(report.session.id))
  writeWhole(file, reportPage(report), force)
  return { json: { file, ...report }, text: file }
}

/** Ids of sessions begin so by themselves; what a file's name cannot hold is left out. */
const nameOf = (id: string): string => `session-${id.replace(/^session-/, '').replace(/[^\w.-]+/g, '-')}.html`

const writeWhole = (file: string, text: string, force: boolean): void => {
  if (existsSync(file) && statSync(file).isDirectory()) throw new Refusal('path_exists', `${file} is a folder; name a file with --out.`)
  const draft = join(dirname(file), `.${process.pid}.aiswarm-report.new`)
  try {
    writeFileSync(draft, text, { flag: 'wx' })
    if (force) renameSync(draft, file)
    else publish(draft, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new Refusal('path_exists', `${file} is there already; --force writes over it, --out names another.`, { cause: error })
    if (code !== undefined) throw new Refusal('not_writable', `${file} cannot be written (${code}).`, { cause: error })
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** A link fails where something has the name, also something that came this moment; where there are no links, so does a copy. */
const publish = (draft: string, file: string): void => {
  try {
    linkSync(draft, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
    copyFileSync(draft, file, constants.COPYFILE_EXCL)
  }
}
