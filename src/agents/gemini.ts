import { join } from 'node:path'
import type { Instant } from '../domain/words/time.ts'
import { acpTalk, type Differences, openingOf } from './acp/conversation.ts'
import { acpDetails, acpReader } from './acp/lines.ts'
import { allowsAll, grantsOf } from './kind/grants.ts'
import { about, fields, type Fields, number, objectOf, oneLine, text } from './kind/json-line.ts'
import type { AgentHome, AgentKind, Brief } from './kind/kind.ts'
import { mcpPromptFor } from './kind/prompts.ts'
import { NO_GUESSING, onlyOurs, serverConfig } from './kind/server-config.ts'
import { accountProblem, errorReadings, lostSession, plainLine } from './reading/errors.ts'
import { type Detail, inputOf, type Reading } from './reading/reading.ts'

/** Reads a line of `gemini -o stream-json`. */
const readGemini = (line: string, at?: Instant): readonly Reading[] => {
  const event = objectOf(line)
  if (event === undefined) return plain(line, at)
  switch (event.type) {
    case 'init':
      return [
        ...(text(event.session_id) === '' ? [] : [{ kind: 'session' as const, id: text(event.session_id) }]),
        ...(text(event.model) === '' ? [] : [{ kind: 'model' as const, name: text(event.model) }]),
      ]
    case 'message':
      return event.role === 'assistant' && text(event.content) !== ''
        ? [{ kind: 'text', text: text(event.content), ...(event.delta === true ? { continues: true } : {}) }]
        : []
    case 'tool_use':
      return [{ kind: 'tool', name: text(event.tool_name), about: about(event.parameters), call: text(event.tool_id) }]
    case 'tool_result':
      return event.status === 'error' ? [failed(event)] : []
    case 'error': {
      const said = text(event.message)
      return errorReadings(said, event.severity === 'error' ? 'error' : 'warn', at)
    }
    case 'result':
      return [usage(fields(event.stats)), ...ended(event, at)]
    default:
      return []
  }
}

/** Reads its error stream. Its stack traces and terminal checks are skipped. */
const plain = (line: string, at: Instant | undefined): readonly Reading[] => {
  if (/^MCP issues detected/.test(line)) return [{ kind: 'no_server', sentence: 'An MCP server did not start' }]
  return /^\s|^Warning: |^Ripgrep is not|^Error executing tool /.test(line) ? [] : plainLine(line, at)
}

const failed = (event: Fields): Reading => {
  const { type, message } = fields(event.error)
  const denied = type === 'policy_violation' || /^Path not in workspace/.test(text(message))
  return {
    kind: denied ? 'denied' : 'tool_failed',
    name: '',
    about: denied ? '' : oneLine(text(message)),
    call: text(event.tool_id),
  }
}

/** The usage of this run only. */
const usage = (stats: Fields): Reading => ({
  kind: 'usage',
  of: 'run',
  tokensIn: number(stats.input_tokens),
  tokensOut: number(stats.output_tokens),
  tokensCached: number(stats.cached),
  costUsd: null,
})

const ended = (event: Fields, at: Instant | undefined): readonly Reading[] => {
  const said = text(fields(event.error).message)
  if (event.status === 'success') return [{ kind: 'ended', ok: true, sentence: 'success' }]
  return [
    ...lostSession(said),
    ...accountProblem(said, at),
    { kind: 'ended', ok: false, sentence: oneLine(said || text(event.status), 500) },
  ]
}

/** Reads the details of a line of `gemini -o stream-json`. */
export const geminiDetails = (line: string): readonly Detail[] => {
  const event = objectOf(line)
  const call = text(event?.tool_id)
  if (event?.type === 'tool_use') return inputOf(call, fields(event.parameters))
  return event?.type === 'tool_result'
    ? [
        {
          kind: 'result',
          call,
          text: text(event.output) || text(fields(event.error).message),
          failed: event.status === 'error',
        },
      ]
    : []
}

/** The path of that file; the folder in the middle is named after the repository by its own rules. */
const geminiSessions = (
  session: string,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] =>
  /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(session)
    ? [join(environment['HOME'] ?? '', '.gemini', 'tmp', '*', 'chats', `session-*-${session.slice(0, 8)}.jsonl`)]
    : []

/** Reads a line of the file in which it stores a session: only there does it count each turn. */
const readGeminiSession = (line: string): readonly Reading[] => {
  const tokens = number(fields(objectOf(line)?.tokens).total)
  return tokens === 0 ? [] : [{ kind: 'context', tokens, window: null }]
}

/** Gemini CLI without a conversation. A file of policies defines its permissions; without a terminal it denies every other write. */
export const geminiHeadless: AgentKind = {
  name: 'gemini',
  exitDecides: false,
  passes: ['GEMINI_*', 'GOOGLE_*'],
  program: {
    binary: 'gemini',
    package: '@google/gemini-cli',
    verified: ['0.61.0'],
    login: {
      files: ['.gemini/oauth_creds.json'],
      variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
    },
  },
  state: {
    folders: ['.gemini'],
    settings: ['settings.json', 'GEMINI.md', 'commands', 'extensions', 'policies', '.env'].map(
      (name) => `.gemini/${name}`,
    ),
  },
  hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
  resumes: true,
  unasked: 'It cannot ask: a file of policies decides what it may do.',
  launch: (brief) => {
    const home = `${brief.scratch}.home`
    const policy = `${brief.scratch}.policy.toml`
    const everything = grantsOf(brief).everything
    return {
      argv: [
        ...['gemini', '-o', 'stream-json', '--skip-trust', ...onlyOurs(brief)],
        ...(everything ? ['--approval-mode', 'yolo'] : ['--approval-mode', 'default', '--admin-policy', policy]),
        ...(brief.model === null ? [] : ['-m', brief.model]),
        ...(brief.resume === null ? [] : ['-r', brief.resume]),
        ...brief.args,
      ],
      stdin: mcpPromptFor(brief),
      files: everything ? [] : [{ path: policy, content: policies(brief) }],
      home: homeOf(brief, home),
      environment: { GEMINI_CLI_HOME: home, GEMINI_TELEMETRY_ENABLED: 'false' },
    }
  },
  read: readGemini,
  details: geminiDetails,
  terminal: (session) => ['gemini', '--resume', session],
  ledger: { paths: geminiSessions, read: readGeminiSession },
}

const geminiAcp: Differences = { modes: ['default'], titled: true, patience: 1000 }

/** Gemini CLI in a conversation: it asks for what its policies do not decide. */
export const gemini: AgentKind = {
  ...geminiHeadless,
  talk: acpTalk(geminiAcp),
  // A session that it loads is lost if it began in the same minute, and calls of it are joined and doubled.
  resumes: false,
  read: acpReader(geminiAcp),
  details: acpDetails(true),
  // Its next load over ACP finds nothing, and the conversation's file is gone (measured with 0.61.0).
  terminal:
    'Gemini CLI loses a conversation that was opened in a terminal when it is loaded over ACP again. Set agents.kinds.gemini.protocol to headless to take conversations over.',
  unasked: 'It does not ask before it reads files.',
  launch: (brief) => {
    const home = `${brief.scratch}.home`
    const policy = `${brief.scratch}.policy.toml`
    return {
      argv: [
        ...['gemini', '--acp', '--skip-trust', ...onlyOurs(brief)],
        ...(brief.readOnly ? ['--admin-policy', policy] : []),
        ...(brief.model === null ? [] : ['-m', brief.model]),
        ...brief.args,
      ],
      stdin: mcpPromptFor(brief),
      opening: openingOf(geminiAcp, brief, {
        mcpServers: [],
        modes: allowsAll(brief) ? ['yolo'] : geminiAcp.modes,
        strict: true,
      }),
      files: brief.readOnly ? [{ path: policy, content: policies(brief) }] : [],
      home: homeOf(brief, home),
      environment: { GEMINI_CLI_HOME: home, GEMINI_TELEMETRY_ENABLED: 'false' },
    }
  },
}

/**
 * It reads settings only from its home: files that other variables name count only if root owns every folder above
 * them.
 */
const homeOf = (brief: Brief, path: string): AgentHome => ({
  path,
  folder: '.gemini',
  file: 'settings.json',
  content: {
    ...serverConfig(brief, { trust: true }),
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    context: { fileFiltering: NO_GUESSING },
  },
})

const policies = (brief: Brief): string => {
  const { edit, shell, tools } = grantsOf(brief)
  return [
    rule({ mcpName: brief.server.name, toolName: '*' }, 'allow', 900),
    ...(edit
      ? [rule({ toolName: ['write_file', 'replace'] }, 'allow', 800)]
      : [rule({ toolName: ['write_file', 'replace'] }, 'deny', 800)]),
    rule({ toolName: 'run_shell_command', commandPrefix: shell }, 'allow', 700),
    ...(tools.length > 0 ? [rule({ toolName: tools }, 'allow', 600)] : []),
  ].join('\n')
}

const rule = (
  conditions: Readonly<Record<string, string | readonly string[]>>,
  decision: 'allow' | 'deny',
  priority: number,
): string =>
  [
    '[[rule]]',
    ...Object.entries({ ...conditions, decision, priority }).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    '',
  ].join('\n')
