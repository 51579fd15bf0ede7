import type { Instant } from '../domain/words/time.ts'
import { acpTalk, type Differences, openingOf } from './acp/conversation.ts'
import { acpDetails, acpReader } from './acp/lines.ts'
import { allowsAll, grantsOf } from './kind/grants.ts'
import { about, fields, type Fields, number, objectOf, oneLine, text } from './kind/json-line.ts'
import type { AgentKind, Brief } from './kind/kind.ts'
import { opencodeServers, otherServers, unwanted } from './kind/other-servers.ts'
import { mcpPromptFor } from './kind/prompts.ts'
import { TOOL_TIMEOUT } from './kind/server-config.ts'
import { accountProblem, lostSession, plainLine } from './reading/errors.ts'
import { type Detail, inputOf, type Reading } from './reading/reading.ts'

/**
 * A separate agent definition: its rules are applied after those of the person and the repository, which cannot change
 * them.
 */
const AGENT = 'aiswarm'

/** Reads a line of `opencode run --format json`, which reports a call at its end. */
const readOpencode = (line: string, at?: Instant): readonly Reading[] => {
  const event = objectOf(line)
  if (event === undefined) return plainLine(line, at)
  const part = fields(event.part)
  switch (event.type) {
    case 'step_start':
      return text(event.sessionID) === '' ? [] : [{ kind: 'session', id: text(event.sessionID) }]
    case 'text':
      return text(part.text).trim() === '' ? [] : [{ kind: 'text', text: text(part.text) }]
    case 'tool_use':
      return call(text(part.tool), fields(part.state), text(part.callID))
    case 'step_finish':
      return [usage(part), ...finished(text(part.reason))]
    case 'error':
      return failed(fields(event.error), at)
    default:
      return []
  }
}

/** Reads the details of a line of `opencode run --format json`, which reports a call at its end. */
export const opencodeDetails = (line: string): readonly Detail[] => {
  const event = objectOf(line)
  if (event?.type !== 'tool_use') return []
  const part = fields(event.part)
  const state = fields(part.state)
  const call = text(part.callID)
  return [
    ...inputOf(call, fields(state.input)),
    {
      kind: 'result',
      call,
      text: text(state.output) || text(state.error),
      failed: state.status === 'error',
    },
  ]
}

/** opencode without a conversation. Its permissions are patterns of its configuration, and it denies the actions that they deny. */
export const opencodeHeadless: AgentKind = {
  name: 'opencode',
  exitDecides: false,
  // It supports every provider that the person has configured, each with its own key.
  passes: [
    'OPENCODE_*',
    'ANTHROPIC_*',
    'OPENAI_*',
    'GEMINI_*',
    'GOOGLE_*',
    'GROQ_*',
    'MISTRAL_*',
    'DEEPSEEK_*',
    'OPENROUTER_*',
    'XAI_*',
    'AWS_*',
    'AZURE_*',
  ],
  program: {
    binary: 'opencode',
    package: 'opencode-ai',
    verified: ['1.18.33'],
    login: { files: ['.local/share/opencode/auth.json'], variables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'] },
  },
  state: {
    folders: ['.local/share/opencode', '.local/state/opencode', '.cache/opencode', '.config/opencode'],
    settings: ['.config/opencode'],
    needs: { '.config/opencode/.gitignore': 'node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore' },
  },
  hosts: ['models.dev', 'opencode.ai', 'api.anthropic.com', 'api.openai.com'],
  resumes: true,
  unasked: 'It cannot ask: a list of tools decides what it may do.',
  ownServers: opencodeServers,
  launch: (brief) => ({
    argv: [
      ...['opencode', 'run', '--format', 'json', '--agent', AGENT],
      ...(brief.model === null ? [] : ['--model', brief.model]),
      ...(brief.resume === null ? [] : ['--session', brief.resume]),
      ...brief.args,
    ],
    stdin: mcpPromptFor(brief),
    files: [],
    environment: {
      ...brief.server.environment,
      // Merged over the configuration of the person and of the repository; `{env:…}` keeps the values out of it.
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config(brief, permissions(brief))),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
  }),
  read: readOpencode,
  details: opencodeDetails,
  terminal: (session) => ['opencode', '--session', session],
}

const opencodeAcp: Differences = {
  modes: ['aiswarm'],
  rejectEnds: true,
  patience: 4000,
}

/** opencode in a conversation: it asks for edits and commands. */
export const opencode: AgentKind = {
  ...opencodeHeadless,
  talk: acpTalk(opencodeAcp),
  read: acpReader(opencodeAcp),
  details: acpDetails(false),
  unasked: 'It does not ask before it reads files.',
  launch: (brief) => ({
    argv: ['opencode', 'acp', ...brief.args],
    stdin: mcpPromptFor(brief),
    opening: openingOf(opencodeAcp, brief, { mcpServers: [], modes: opencodeAcp.modes, strict: true }),
    files: [],
    environment: {
      ...brief.server.environment,
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        ...config(brief, brief.readOnly ? permissions(brief) : asking(brief)),
        ...(brief.model === null ? {} : { model: brief.model }),
      }),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
  }),
}

const config = (brief: Brief, permission: unknown): object => {
  const { server } = brief
  const environment = Object.fromEntries(Object.keys(server.environment).map((name) => [name, `{env:${name}}`]))
  return {
    autoupdate: false,
    share: 'disabled',
    mcp: {
      ...others(brief),
      [server.name]: {
        type: 'local',
        command: [server.command, ...server.args],
        environment,
        enabled: true,
        timeout: TOOL_TIMEOUT,
      },
    },
    agent: {
      [AGENT]: { mode: 'primary', description: 'Works on a task of the swarm', permission },
    },
  }
}

const others = (brief: Brief): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(unwanted(brief).map((name) => [name, { enabled: false }])),
  ...Object.fromEntries(
    Object.entries(otherServers(brief).given).map(([name, server]) => [
      name,
      'url' in server
        ? { type: 'remote', url: server.url, headers: server.headers, enabled: true }
        : { type: 'local', command: [server.command, ...server.args], environment: server.env, enabled: true },
    ]),
  ),
})

const permissions = (brief: Brief): unknown => {
  const { everything, edit, shell, tools } = grantsOf(brief)
  if (everything) return { '*': 'allow' }
  return {
    '*': 'deny',
    ...Object.fromEntries(
      ['read', 'glob', 'grep', 'list', 'todoread', 'todowrite', 'lsp', 'skill', `${brief.server.name}_*`, ...tools].map(
        (tool) => [tool, 'allow'],
      ),
    ),
    edit: edit ? 'allow' : 'deny',
    bash: Object.fromEntries([
      ['*', 'deny'],
      ...shell.flatMap((words) => [
        [words, 'allow'],
        [`${words} *`, 'allow'],
      ]),
    ]) as unknown,
  }
}

/** Permissions of an agent that asks: the rules are aiswarm's own, so that each of them counts at once. */
const asking = (brief: Brief): unknown =>
  allowsAll(brief)
    ? { '*': 'allow' }
    : {
        '*': 'ask',
        ...Object.fromEntries(
          ['read', 'glob', 'grep', 'list', 'todoread', 'todowrite', 'lsp', 'skill', `${brief.server.name}_*`].map(
            (tool) => [tool, 'allow'],
          ),
        ),
      }

const call = (name: string, state: Fields, id: string): readonly Reading[] => {
  const tool = { name, about: about(state.input), call: id }
  if (state.status !== 'error') return [{ kind: 'tool', ...tool }]
  const denied = /rule which prevents you|rejected permission|permission .{0,20}(?:denied|rejected)/i.test(
    text(state.error).slice(0, 500),
  )
  return [
    { kind: 'tool', ...tool },
    { kind: denied ? 'denied' : 'tool_failed', ...tool },
  ]
}

/** A step that calls tools is followed by another; there is no other final message. */
const finished = (reason: string): readonly Reading[] =>
  reason === 'tool-calls' || reason === '' ? [] : [{ kind: 'ended', ok: reason === 'stop', sentence: reason }]

const failed = (error: Fields, at: Instant | undefined): readonly Reading[] => {
  const data = fields(error.data)
  const said = text(data.message) || text(error.message) || text(error.name)
  const status = number(data.statusCode)
  return [
    ...lostSession(said),
    ...accountProblem(status === 0 ? said : `${status} ${said}`, at),
    { kind: 'ended', ok: false, sentence: oneLine(said, 500) },
  ]
}

const usage = (part: Fields): Reading => {
  const { input, output, reasoning, cache } = fields(part.tokens)
  const { read, write } = fields(cache)
  return {
    kind: 'usage',
    of: 'step',
    // It counts cache reads and cache writes separately from other input.
    tokensIn: number(input) + number(read) + number(write),
    tokensOut: number(output) + number(reasoning),
    tokensCached: number(read),
    costUsd: typeof part.cost === 'number' ? part.cost : null,
  }
}
