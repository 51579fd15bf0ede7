import { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import { briefFor, notesOf, renderBrief } from '../../memory/project-memory/brief.ts'
import { compressMemory } from '../../memory/project-memory/compress.ts'
import { acceptAdr, proposeAdr, supersedeAdr } from '../../memory/project-memory/decisions.ts'
import { handOff } from '../../memory/project-memory/handoff.ts'
import { loadables } from '../../memory/project-memory/limits.ts'
import { excerptOf, load, type Loaded } from '../../memory/project-memory/load.ts'
import { agentName } from '../../memory/project-memory/names.ts'
import { queryProjectMemory } from '../../memory/project-memory/query.ts'
import type { ProjectPlace } from '../../memory/project-memory/store.ts'
import { appendTimeline } from '../../memory/project-memory/timeline.ts'
import { verifyProjectMemory } from '../../memory/project-memory/verify.ts'
import { logEvent } from '../../memory/project-memory/working-log.ts'
import { memoryPlace } from '../../memory/working-memory/paths.ts'
import { WorkingMemoryStore } from '../../memory/working-memory/store.ts'
import { readBrief } from '../../operations/agents/brief.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { memoryRow, type MemoryTool } from './memory-tool.ts'
import type { ToolRow } from './tool.ts'

const id = z.string().describe('Such as ADR-005')
const adr = z.object({
  id: z.string(),
  title: z.string().nullable(),
  status: z.string(),
  path: z.string().nullable(),
})
const event = z.looseObject({ timestamp: z.string(), type: z.string() })
const finding = z.object({ path: z.string(), line: z.int(), problem: z.string() })

/** The files read, up to the size that a context can hold, and the files that are missing from it. */
const told = ({ files, missing }: Loaded) => {
  const excerpts = files.map(({ path, content }) => ({ path, ...excerptOf(content) }))
  return {
    files: excerpts.map(({ path, text }) => ({ path, content: text })),
    missing: [...missing],
    leftOut: excerpts.flatMap(({ path, leftOut }) => leftOut.map((what) => `${path}: ${what}`)),
  }
}

/** Seed 001's project memory: entries by agents carry the name of their connection. */
export const projectMemoryTools = (
  root: string,
  lock: ProjectPlace['lock'],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): readonly ToolRow[] => {
  // In one piece because it is a table: a row describes one tool.
  const row = projectRow(root, lock)
  const notes = new WorkingMemoryStore(memoryPlace(root, environment), lock)
  return [
    row({
      name: 'append_timeline',
      title: 'Append to the timeline',
      description: "Add an entry to the project's timeline, which only grows.",
      input: z.strictObject({ title: z.string(), notes: z.array(z.string()).default([]).describe('One bullet each') }),
      output: z.object({ at: z.string(), agent: z.string(), title: z.string(), notes: z.array(z.string()) }),
      call: (input, { place, writer }) => ({ ...appendTimeline(place, input, writer()) }),
    }),
    row({
      name: 'propose_adr',
      title: 'Propose a decision',
      description: 'Write or rewrite the draft of a decision. Someone else accepts it.',
      input: z.strictObject({ id, content: z.string().describe("Markdown, beginning with '# ADR-005: title'") }),
      output: adr,
      call: ({ id, content }, { place, writer }) => ({ ...proposeAdr(place, { id, text: content }, writer()) }),
    }),
    row({
      name: 'accept_adr',
      title: 'Accept a decision',
      description: "Accept someone else's draft, which never changes again.",
      input: z.strictObject({ id }),
      output: adr,
      call: ({ id }, { place, writer }) => ({ ...acceptAdr(place, id, writer()) }),
    }),
    row({
      name: 'supersede_adr',
      title: 'Supersede a decision',
      description: 'Replace a decision by another accepted one.',
      input: z.strictObject({ old: id, by: id }),
      output: adr,
      call: (input, { place, writer }) => ({ ...supersedeAdr(place, input, writer()) }),
    }),
    row({
      name: 'log_event',
      title: 'Log an event',
      description:
        "Add an event to the phase's working log: verification {test, status}, file_modified {path, added, removed}, or another.",
      input: z.strictObject({
        type: z.string(),
        fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
        phase: z.string().optional().describe('Default: the first in progress'),
      }),
      output: event,
      call: (input, { place, writer }) => logEvent(place, input, writer()),
    }),
    row({
      name: 'handoff',
      title: 'Hand over',
      description:
        'Hand over to an agent: its goal, with the sections Current state, Open question, Context, Constraints, Success criteria.',
      input: z.strictObject({ to: z.string(), goal: z.string().describe('Markdown') }),
      output: z.object({ from: z.string(), to: z.string(), path: z.string(), missing: z.array(z.string()) }),
      call: ({ to, goal }, { place, writer }) => ({ ...handOff(place, { from: writer(), to, goal }, writer()) }),
    }),
    row({
      name: 'query_project_memory',
      title: 'Query project memory',
      description:
        "Ask 'Which ADRs apply to Phase 0.1?', 'What files were modified in current session?' or 'Has ADR-008 been accepted?'.",
      reads: true,
      input: z.strictObject({ question: z.string() }),
      output: z.looseObject({ query: z.string(), answer: z.string() }),
      call: ({ question }, { place }) => ({ ...queryProjectMemory(place, question) }),
    }),
    row({
      name: 'load_memory',
      title: 'Load memory',
      description: 'Read the summary and hand-off rules (session-start), a decision (adr), or your hand-off (handoff).',
      reads: true,
      input: z.strictObject({
        what: z.enum(loadables),
        name: z.string().optional().describe('Id of the decision; agent of the hand-off (default: you)'),
      }),
      output: z.object({
        files: z.array(z.object({ path: z.string(), content: z.string() })),
        missing: z.array(z.string()),
        leftOut: z.array(z.string()),
      }),
      call: ({ what, name }, { place, reader }) => {
        const named = name ?? (what === 'handoff' ? reader : null)
        return told(load(place, what, named === null ? [] : [named]))
      },
    }),
    row({
      name: 'get_brief',
      title: 'Get the brief',
      description:
        'Get the short-term brief: task, criteria, blockers, verification, decisions, last ten actions, key facts.',
      reads: true,
      input: z.strictObject({
        agent: z.string().optional().describe('Default: you'),
        tokens: z.int().min(1).optional().describe('Maximum number'),
      }),
      output: z.object({ agent: z.string(), text: z.string(), tokens: z.int(), leftOut: z.array(z.string()) }),
      call: async ({ agent: given, tokens }, { place, reader, connection: { core, actor } }) => {
        const agent = given ?? reader
        if (agent === null) throw new Refusal('invalid_input', 'get_brief at agent: you are not an agent, so name one.')
        agentName(agent)
        const held = await perform(core, readBrief, { agentId: agent }, actor)
        return {
          agent,
          ...renderBrief(briefFor(place, agent, { ...(held ?? {}), ...notesOf(() => notes.read(agent)) }), tokens),
        }
      },
    }),
    row({
      name: 'compress_memory',
      title: 'Compress memory',
      description: 'Above 140,000 tokens of context: move the details to the timeline and keep only the new summary.',
      input: z.strictObject({
        tokens: z.int().min(0).describe('Of your context'),
        summary: z.string().describe('The whole new summary.md'),
        details: z.string(),
      }),
      output: z.object({
        compressed: z.boolean(),
        tokens: z.int().nullable(),
        context: z.string().nullable(),
        archived: z.array(z.string()),
      }),
      call: (input, { place, writer }) => ({ ...compressMemory(place, input, writer()) }),
    }),
    row({
      name: 'verify_project_memory',
      title: 'Verify project memory',
      description: 'Check formats, changed decisions, a timeline that only grew, times and hand-offs.',
      reads: true,
      input: z.strictObject({}),
      output: z.object({ findings: z.array(finding), warnings: z.array(finding) }),
      call: (_, { place }) => ({ ...verifyProjectMemory(place) }),
    }),
  ]
}

/** The dependencies of one call of a project-memory tool. */
interface Caller {
  readonly place: ProjectPlace
  readonly connection: Connection
  /** The agent of the connection; null for any other caller. */
  readonly reader: string | null
  /** As `reader`; refuses callers that are not agents. */
  readonly writer: () => string
}

interface Definition<I extends z.ZodType> extends Omit<MemoryTool<I>, 'call' | 'idempotent'> {
  readonly call: (input: z.output<I>, caller: Caller) => ReturnType<MemoryTool<I>['call']>
}

/** Creates rows of tools on the project memory of one repository. */
const projectRow =
  (root: string, lock: ProjectPlace['lock']) =>
  <I extends z.ZodType>({ call, ...definition }: Definition<I>): ToolRow =>
    memoryRow({
      ...definition,
      call: (input, { connection, agentId }) => {
        const { core } = connection
        return call(input, {
          connection,
          place: { root, lock, clock: core.clock, owners: core.settings.memory.owners },
          reader: agentId,
          writer: () => {
            if (agentId === null)
              throw new Refusal(
                'not_owner',
                "Only agents write project memory over MCP, and you are not an agent. A person uses 'aiswarm memory'.",
              )
            return agentId
          },
        })
      },
    })
