import { type SessionState, sessionStates } from '../../domain/session/session.ts'
import { sessionIdPattern } from './file-names.ts'
import { FormatError } from './format-error.ts'
import { type Block, readDocument } from './markdown.ts'
import { documentOf, LeftOver, type Other, type Section, sectionsOf } from './sections.ts'
import { readAgents, renderAgents, type SessionAgent } from './session-agents.ts'
import { oneLine, plainWord, shown, wordOf } from './values.ts'
import { bulletsOf, numberOf } from './session-bullets.ts'
import { renderSummary, type SessionSummary, summaryOf } from './session-summary.ts'

type Place = 'head' | 'agents' | 'configuration' | 'summary' | 'end'

/** `orchestrator-session.md`: a session, its agents and its result. */
export interface SessionFile {
  readonly id: string
  /** RFC 3339. */
  readonly startedAt: string
  readonly status: SessionState
  readonly agents: readonly SessionAgent[]
  /** Null if the file does not state it. `pollInterval` is a text such as `30s`. */
  readonly configuration: {
    readonly maxParallel: number | null
    readonly maxRetries: number | null
    readonly pollInterval: string | null
  }
  /** Null until the session has ended. */
  readonly summary: SessionSummary | null
  /** `head` is above the agents, `end` (unknown headings) at the end, the others at the end of their section. */
  readonly other: Other<Place>
}

const settings = ['max_parallel', 'max_retries', 'poll_interval'] as const

/** Refuses a file without id, start or state, with a value of the wrong kind, or with one of its headings twice. */
export const parseSession = (text: string, file: string): SessionFile => {
  const document = readDocument(text, true)
  if (document.open !== undefined)
    throw new FormatError(file, document.open, 'a code fence or comment begins here and is never closed; close it.')
  const { above, sections } = sectionsOf(document.blocks, 2)
  const other = new LeftOver<Place>()
  other.keep('head', ...above)
  const known = new Map<string, Section>()
  for (const section of sections) {
    const name = nameOf(section)
    if (section.depth === 2 && /^(?:id|started|status|agents|configuration|summary)$/.test(name)) {
      if (known.has(name))
        throw new FormatError(file, section.heading.line, `there is a second heading ${shown(section.text)}; keep one.`)
      known.set(name, section)
      if (/^(?:id|started|status)$/.test(name)) other.keep('head', ...section.body)
    } else if (name === 'orchestrator session') other.keep('head', ...section.body)
    else other.keep('end', section.heading, ...section.body)
  }
  const status = needed(known, 'status', file)
  return {
    id: idOf(needed(known, 'id', file), file),
    startedAt: instantOf(needed(known, 'started', file), file),
    status: wordOf(status.value, sessionStates, { file, line: status.heading.line, what: 'status' }),
    agents: readAgents(known.get('agents')?.body ?? [], file, (block) => other.keep('agents', block)),
    configuration: configurationOf(known.get('configuration')?.body ?? [], file, (block) =>
      other.keep('configuration', block),
    ),
    summary: summaryOf(known.get('summary')?.body ?? [], file, (block) => other.keep('summary', block)),
    other: other.all(),
  }
}

export const renderSession = ({ id, startedAt, status, agents, configuration, summary, other }: SessionFile): string =>
  documentOf(
    `# Orchestrator Session\n## ID: ${id}\n## Started: ${startedAt}\n## Status: ${status}`,
    other.head,
    `## Agents\n${renderAgents(agents)}`,
    other.agents,
    ['## Configuration', ...renderConfiguration(configuration)].join('\n'),
    other.configuration,
    summary === null && other.summary === undefined
      ? ''
      : ['## Summary (filled on completion)', ...(summary === null ? [] : renderSummary(summary))].join('\n'),
    other.summary,
    other.end,
  )

const renderConfiguration = ({
  maxParallel,
  maxRetries,
  pollInterval,
}: SessionFile['configuration']): readonly string[] => [
  ...(maxParallel === null ? [] : [`- MAX_PARALLEL: ${maxParallel}`]),
  ...(maxRetries === null ? [] : [`- MAX_RETRIES: ${maxRetries}`]),
  ...(pollInterval === null ? [] : [`- POLL_INTERVAL: ${oneLine(pollInterval)}`]),
]

/** The seed's own heading is `## Summary (filled on completion)`. */
const nameOf = ({ name }: Section): string => name.replace(/^(summary) \(.*$/s, '$1')

const needed = (known: ReadonlyMap<string, Section>, name: string, file: string): Section => {
  const section = known.get(name)
  if (!section)
    throw new FormatError(
      file,
      1,
      `the heading ## ${name === 'id' ? 'ID' : name === 'started' ? 'Started' : 'Status'}: is missing.`,
    )
  return section
}

const idOf = ({ heading, value }: Section, file: string): string => {
  if (sessionIdPattern.test(plainWord(value))) return plainWord(value)
  throw new FormatError(
    file,
    heading.line,
    value.includes('{')
      ? "the session id is still the template's; write session-YYYYMMDD-HHMMSS."
      : `${shown(value)} is not a session id; write session-YYYYMMDD-HHMMSS.`,
  )
}

const instantOf = ({ heading, value }: Section, file: string): string => {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) && !Number.isNaN(Date.parse(value))) return value
  throw new FormatError(file, heading.line, `${shown(value)} is not a time; write one such as 2026-01-30T14:22:33Z.`)
}

const configurationOf = (
  body: readonly Block[],
  file: string,
  keep: (block: Block) => void,
): SessionFile['configuration'] => {
  const found = bulletsOf(body, settings, keep)
  const number = (key: (typeof settings)[number]): number | null => {
    const setting = found.get(key)
    return setting ? numberOf(setting, key.toUpperCase(), file) : null
  }
  return {
    maxParallel: number('max_parallel'),
    maxRetries: number('max_retries'),
    pollInterval: oneLine(found.get('poll_interval')?.value ?? '') || null,
  }
}
