import type { OutputPiece } from '../../contracts/observations.ts'
import { LineAssembler } from '../../domain/words/output-lines.ts'
import { safeLine, safeLines } from '../../domain/words/safe-text.ts'
import { getAgent } from '../../operations/agents/list.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { getTaskLogs } from '../../operations/tasks/detail.ts'
import { type Answer, type Call, open, saidAll } from '../call/command.ts'
import { onEveryChange } from '../call/follow.ts'
import { logLine } from '../print/tasks.ts'

// The logs of agents and tasks, printed at once or followed.

/**
 * Prints an agent's notes and the output of its process. Output has no times, so the notes come first; with `follow`
 * both are printed as they are written.
 */
export const printAgentLogs = async (
  call: Call,
  agentId: string,
  { follow, raw }: { follow: boolean; raw: boolean },
): Promise<Answer | typeof saidAll> => {
  const connection = await open(call)
  await perform(connection.core, getAgent, { agentId }, connection.actor)
  const { outside } = connection
  const read: ReadOutput = raw
    ? (id, from) => outside.readRawOutput(id, from)
    : (id, from) => outside.readOutput(id, from)
  const output = new OutputReader(read, agentId, raw ? 0 : await tailStart(connection, agentId))
  if (raw)
    return call.json && !follow
      ? { json: { agentId, output: await output.rest() }, text: '' }
      : printRaw(call, connection, output, agentId, follow)
  return follow ? followBoth(call, connection, output, agentId) : showBoth(connection, output, agentId)
}

const showBoth = async ({ core, actor }: Connection, output: OutputReader, agentId: string): Promise<Answer> => {
  const notes = await perform(core, getTaskLogs, { agentId }, actor)
  const printed = (await output.rest()).replace(/\r?\n$/, '')
  const lines = printed === '' ? [] : printed.split(/\r?\n/)
  return {
    json: [...notes.map((note) => ({ source: 'note', ...note })), ...lines.map((line) => outputRow(agentId, line))],
    text:
      [...notes.map(logLine), ...(lines.length === 0 ? [] : safeLines(printed))].join('\n') ||
      `Agent ${agentId} has no log yet.`,
  }
}

/** A line of output in the shape of a note, without number, task and time. */
const outputRow = (agentId: string, message: string) => ({
  source: 'output',
  id: null,
  taskId: null,
  agentId,
  level: 'info',
  message,
  loggedAt: null,
})

const followBoth = async (
  call: Call,
  connection: Connection,
  output: OutputReader,
  agentId: string,
): Promise<typeof saidAll> => {
  const { core, actor } = connection
  let afterId = 0
  const assembler = new LineAssembler()
  await onEveryChange(call, connection, async () => {
    for (const note of await perform(core, getTaskLogs, { agentId, afterId }, actor)) {
      call.streams.out(`${call.json ? JSON.stringify({ source: 'note', ...note }) : logLine(note)}\n`)
      afterId = note.id
    }
    await output.each((text) => {
      for (const line of assembler.add(text).map((line) => line.replace(/\r$/, '')))
        call.streams.out(`${call.json ? JSON.stringify(outputRow(agentId, line)) : safeLine(line)}\n`)
    })
  })
  return saidAll
}

/** Prints the output unchanged, so that it can be piped; nothing is made safe here. */
const printRaw = async (
  call: Call,
  connection: Connection,
  output: OutputReader,
  agentId: string,
  follow: boolean,
): Promise<typeof saidAll> => {
  const print = (text: string): void =>
    call.streams.out(call.json ? `${JSON.stringify({ agentId, output: text })}\n` : text)
  const look = (): Promise<void> => output.each(print)
  await (follow ? onEveryChange(call, connection, look) : look())
  return saidAll
}

/** The end of a process's output that the merged log shows (bytes); `--raw` prints all of it. */
const TAIL = 256 * 1024

const tailStart = async ({ outside }: Connection, agentId: string): Promise<number> => {
  const { text, next } = await outside.readRawOutput(agentId, { tail: TAIL })
  const start = next - Buffer.byteLength(text)
  // Starts at a line break, because half a line may be misread.
  return start === 0 ? 0 : start + Buffer.byteLength(text.slice(0, text.indexOf('\n') + 1))
}

type ReadOutput = (agentId: string, from: { readonly offset: number }) => Promise<OutputPiece>

/** Reads an agent's output incrementally. */
class OutputReader {
  readonly #read: ReadOutput
  readonly #agentId: string
  #offset: number

  constructor(read: ReadOutput, agentId: string, offset: number) {
    this.#read = read
    this.#agentId = agentId
    this.#offset = offset
  }

  async each(take: (text: string) => void): Promise<void> {
    for (;;) {
      const { text, next, size } = await this.#read(this.#agentId, { offset: this.#offset })
      if (text !== '') take(text)
      const stuck = next <= this.#offset
      this.#offset = next
      if (stuck || next >= size) return
    }
  }

  async rest(): Promise<string> {
    const pieces: string[] = []
    await this.each((text) => pieces.push(text))
    return pieces.join('')
  }
}

/** The log of a task, oldest first; with `follow` also new notes, one per line. */
export const printTaskLogs = async (call: Call, taskId: number, follow: boolean): Promise<Answer | typeof saidAll> => {
  const connection = await open(call)
  const { core, actor } = connection
  if (!follow) {
    const rows = await perform(core, getTaskLogs, { taskId }, actor)
    return { json: rows, text: rows.length === 0 ? `Task ${taskId} has no log yet.` : rows.map(logLine).join('\n') }
  }
  let afterId = 0
  await onEveryChange(call, connection, async () => {
    for (const row of await perform(core, getTaskLogs, { taskId, afterId }, actor)) {
      call.streams.out(`${call.json ? JSON.stringify(row) : logLine(row)}\n`)
      afterId = row.id
    }
  })
  return saidAll
}
