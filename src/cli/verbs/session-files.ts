import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { decodeText } from '../../memory/decode.ts'
import { LARGEST } from '../../memory/files.ts'
import { isFormatError } from '../../memory/format-error.ts'
import { parseBoard } from '../../memory/session-files/board-file.ts'
import { describeFile } from '../../memory/session-files/file-names.ts'
import { readMemoryConfig } from '../../memory/session-files/memory-config.ts'
import { filledIn, parseProgress } from '../../memory/session-files/progress-file.ts'
import { parseResult } from '../../memory/session-files/result-file.ts'
import { parseSession } from '../../memory/session-files/session-file.ts'
import { act } from '../../operations/perform/perform.ts'
import { importBoard } from '../../operations/sessions/import.ts'
import { type Answer, type Call, open } from '../call/command.ts'
import { counted } from '../print/columns.ts'

/** Begins the session of a board file. */
export const importSession = async (call: Call, file: string): Promise<Answer> => {
  const board = parsed(parseBoard, textOf(file), file)
  const tasks = board.tasks.map(({ id, agent, cli, title, tier, dependencies, description, criteria, other }) => ({
    number: id,
    agentId: agent,
    cli,
    title,
    tier,
    dependencies: [...dependencies],
    description,
    acceptanceCriteria: [...criteria],
    other: (other.end ?? '').slice(0, 100_000),
  }))
  const session = await act(await open(call), importBoard, { sessionId: board.session, tasks })
  return { json: session, text: `${session.id} has started with ${counted(session.tasks.length, 'task')}.` }
}

/** The content of a session file. */
export const checkSessionFile = (file: string): Answer => {
  const text = textOf(file)
  const kind = describeFile(basename(file))?.kind ?? kindOf(text)
  if (kind === undefined)
    throw new Refusal(
      'file_unreadable',
      `${file}:1: this is not a session file. The first heading of a session file is '# Orchestrator Session', '# Task Board', '# Progress: …' or '# Result: …'.`,
    )
  const content = {
    session: () => parsed(parseSession, text, file),
    board: () => parsed(parseBoard, text, file),
    progress: () => filledIn(parsed(parseProgress, text, file)),
    result: () => parsed(parseResult, text, file),
  }[kind]()
  return { json: { kind, ...content }, text: `${file} is a valid ${kind} file.` }
}

/** By its first heading, if its name is unknown. */
const kindOf = (text: string): 'session' | 'board' | 'progress' | 'result' | undefined => {
  const heading = /^#\s+(Orchestrator Session|Task Board|Progress|Result)\b/im.exec(text)?.[1]?.toLowerCase()
  return heading === undefined
    ? undefined
    : ({ 'orchestrator session': 'session', 'task board': 'board', progress: 'progress', result: 'result' } as const)[
        heading
      ]
}

/** Writes all files of a session into a folder. */
export const exportSession = async (call: Call, folder: string): Promise<Answer> => {
  const connection = await open(call)
  const target = resolve(folder)
  const own = join(connection.core.root, readMemoryConfig(connection.core.root).basePath)
  if (existsSync(target) && existsSync(own) && realpathSync(target) === realpathSync(own)) {
    throw new Refusal(
      'not_owner',
      `${folder} is the session's own folder, whose files belong to the orchestrator and the agents. Export to another folder.`,
    )
  }
  const files = await call.services.exportSession(connection, target)
  return { json: { folder: target, files }, text: files.map((name) => join(folder, name)).join('\n') }
}

/** Parses a session file by its format; an error names file and line. */
const parsed = <T>(parse: (text: string, file: string) => T, text: string, file: string): T => {
  try {
    return parse(text, file)
  } catch (error) {
    if (isFormatError(error)) throw new Refusal('file_unreadable', error.message, { cause: error })
    throw error
  }
}

const textOf = (file: string): string => {
  const path = resolve(file)
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Refusal(
      'file_unreadable',
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read (${code}).`,
      { cause: error },
    )
  }
  // A board may be as large as its tasks require; files by agents may not.
  if (bytes.length > 16 * LARGEST)
    throw new Refusal('file_unreadable', `${file} is larger than 16 MB, too large for a session file.`)
  return parsed(() => decodeText(bytes, file, 16 * LARGEST), '', file)
}
