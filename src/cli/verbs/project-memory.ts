import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Actor, checkActsAs, nameOf, person } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { defaultSettings } from '../../domain/settings/settings.ts'
import { safeLines } from '../../domain/words/safe-text.ts'
import { instant } from '../../domain/words/time.ts'
import { type Brief, briefFor, notesOf } from '../../memory/project-memory/brief.ts'
import { agentName, PERSON } from '../../memory/project-memory/names.ts'
import { resolutionText, resolveSubject } from '../../memory/project-memory/resolve.ts'
import type { ProjectPlace } from '../../memory/project-memory/store.ts'
import type { EventDraft } from '../../memory/project-memory/working-log.ts'
import { memoryPlace } from '../../memory/working-memory/paths.ts'
import { WorkingMemoryStore } from '../../memory/working-memory/store.ts'
import { readBrief } from '../../operations/agents/brief.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type Answer, type Call, open } from '../call/command.ts'
import { readText } from '../call/streams.ts'

/** The project memory of a call, and its caller. */
interface Project {
  readonly place: ProjectPlace
  readonly actor: Actor
  /** Null if no database was opened. */
  readonly connection: Connection | null
}

/**
 * Opens a database only if there is one, if the repository has a configuration, or if the caller is an agent, which
 * must prove its identity. Otherwise no agent can have been started, so the caller is a person, with the default
 * owners.
 */
export const projectOf = async (call: Call): Promise<Project> => {
  const root = await call.services.repositoryRoot(call.root)
  const lock = await call.services.fileLock()
  const id = call.environment['AISWARM_AGENT_ID']
  const used = ['config.yaml', 'coordination.db'].some((name) => existsSync(join(root, '.aiswarm', name)))
  if ((id === undefined || id === '') && !used) {
    return {
      place: { root, lock, clock: () => instant(Date.now()), owners: defaultSettings.memory.owners },
      actor: person,
      connection: null,
    }
  }
  const connection = await open(call)
  const { core, actor } = connection
  return { place: { root, lock, clock: core.clock, owners: core.settings.memory.owners }, actor, connection }
}

/** As `projectOf`, with the writer: an agent itself, a person as themselves or as the agent that they name. */
export const writing = async (
  call: Call,
  agent: string | undefined,
): Promise<{ readonly place: ProjectPlace; readonly writer: string }> => {
  if (agent !== undefined) agentName(agent)
  const { place, actor } = await projectOf(call)
  if (agent !== undefined) checkActsAs(actor, agent)
  if (actor.kind === 'client')
    throw new Refusal(
      'not_allowed',
      `${nameOf(actor)} may not write as the person; call aiswarm with the agent's own environment.`,
    )
  return { place, writer: agent ?? (actor.kind === 'agent' ? actor.id : PERSON) }
}

/** `test=hash-chain` */
export const fieldsOf = (pairs: readonly string[]): EventDraft['fields'] => {
  const fields = new Map<string, string>()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1)
      throw new Refusal(
        'invalid_input',
        `${JSON.stringify(pair.slice(0, 60))} is not a field of the event. Write key=value.`,
      )
    const key = pair.slice(0, at)
    if (fields.has(key))
      throw new Refusal('invalid_input', `The key ${JSON.stringify(key.slice(0, 60))} is given twice; give it once.`)
    fields.set(key, pair.slice(at + 1))
  }
  return Object.fromEntries(fields)
}

/** The text of a file that the command line names, or of standard input. */
export const fileText = (file: string, call: Call): Promise<string> => readText(file, call.streams)

/** Lines of files for a terminal, without escape sequences. */
export const shownText = (text: string): string => safeLines(text).join('\n')

/** The short-term brief of an agent: project memory, its working memory, and its task if there is a board. */
export const briefOf = async (call: Call, agent: string): Promise<Brief> => {
  const { place, connection } = await projectOf(call)
  agentName(agent)
  const board = connection ?? (existsSync(join(place.root, '.aiswarm', 'coordination.db')) ? await open(call) : null)
  const held = board && (await perform(board.core, readBrief, { agentId: agent }, board.actor))
  const notes = new WorkingMemoryStore(memoryPlace(place.root, call.environment), place.lock)
  return briefFor(place, agent, { ...(held ?? {}), ...notesOf(() => notes.read(agent)) })
}

/** `memory resolve SUBJECT`: prints the answer first, then every conflict. */
export const resolveMemory = async (subject: string, call: Call): Promise<Answer> => {
  const { place } = await projectOf(call)
  const resolution = resolveSubject(place, subject)
  return { json: resolution, text: shownText(resolutionText(resolution)) }
}
