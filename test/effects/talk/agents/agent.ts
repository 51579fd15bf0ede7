import { appendFileSync, readFileSync } from 'node:fs'
import type { Driver, Talk } from '../../../../src/agents/kind/conversation.ts'
import type { AgentKind } from '../../../../src/agents/kind/kind.ts'
import { outputPath } from '../../../../src/effects/files/paths.ts'
import { type Entry, entryOf } from '../../../../src/effects/talk/journal-entry.ts'
import { journalKey, journalPath, OPEN } from '../../../../src/effects/talk/journal.ts'
import type { Core } from '../../../../src/operations/perform/core.ts'
import type { AgentRun } from '../../../../src/operations/supervision/wishes.ts'

/** A deed of an agent: it reads its messages, asks, asks twice with one id, or ends its turn. */
export type Act = 'take' | 'ask' | 'ask twice' | 'end'

/** An agent of one protocol in this process. It gets lines, and prints lines. */
export interface Agent {
  /** The texts that it has read, in order. */
  readonly heard: readonly string[]
  /** The number of answers to each of its questions. */
  readonly answers: ReadonlyMap<string, number>
  /** True while it has read less than it was sent. */
  readonly unread: boolean
  take(line: string): void
  act(act: Act): void
}

export interface Protocol {
  readonly kind: string
  readonly talk: Talk
  /** The client in the relay; without one, lines go to the agent as they are. */
  readonly driver?: () => Driver
  readonly opening?: string
  readonly agent: (print: (message: object) => void) => Agent
}

/** The questions of an agent, and how often each was answered. */
export class Questions {
  readonly answers = new Map<string, number>()
  readonly open = new Set<string>()
  #asked = 0

  ask(): string {
    const call = `call-${this.#asked++}`
    this.open.add(call)
    return call
  }

  answered(call: string): void {
    this.answers.set(call, (this.answers.get(call) ?? 0) + 1)
    this.open.delete(call)
  }
}

/** An agent with its relay, in this process: whole sealed lines go through, each id once, until one of the two dies. */
export const relayed = (protocol: Protocol, core: Core, run: AgentRun) => {
  const output = outputPath(core.root, run.agentId)
  const key = journalKey(core, run)
  const driver = protocol.driver?.()
  const said = new Set<string>()
  let [over, dead] = [false, false]
  const write = (lines: readonly string[]): void => {
    if (lines.length > 0) appendFileSync(output, `${lines.join('\n')}\n`)
  }
  const agent = protocol.agent((message) => {
    if (dead) return
    const line = JSON.stringify(message)
    if (driver === undefined) return write([line])
    const { send, note, keep } = driver.hear(line)
    write(keep === false ? note : [...note, line])
    for (const one of send) agent.take(one)
  })
  const forward = ({ line }: Entry): void => {
    if (line === undefined) {
      over = true
      driver?.end()
    } else if (driver === undefined) agent.take(line)
    else {
      const { send, note } = driver.take(line)
      write(note)
      for (const one of send) agent.take(one)
    }
  }
  /** Forwards what is whole. */
  const relay = (): void => {
    if (dead) return
    const lines = readFileSync(journalPath(core.root, run), 'utf8').split('\n').slice(0, -1)
    for (const entry of lines.flatMap((line) => entryOf(key, line) ?? [])) {
      if (said.has(entry.id) || over) continue
      said.add(entry.id)
      forward(entry)
    }
  }
  return {
    agent,
    relay,
    act: (act: Act): void => {
      relay()
      if (!dead && (!over || agent.unread)) agent.act(act)
    },
    /** The relay or the agent dies, in the middle of a line: the other ends with it. */
    die: (): void => {
      relay()
      if (!dead) appendFileSync(output, '{"type":"half of a li')
      dead = true
    },
  }
}

/** The first lines of a run's journal. */
export const beginning = ({ talk, opening }: Protocol, prompt: Entry['id'], uuid: string): readonly Entry[] => [
  ...(opening === undefined ? [] : [{ id: OPEN, line: opening }]),
  { id: prompt, line: talk.say(uuid, 'the prompt', false) },
]

/** The kind of agent that speaks the protocol, as far as a conversation needs it. */
export const kindOf = ({ kind, talk }: Protocol): ReadonlyMap<string, AgentKind> =>
  new Map([[kind, { talk } as unknown as AgentKind]])
