import type { Instant } from '../domain/words/time.ts'
import { acpTalk, type Differences, openingOf } from './acp/conversation.ts'
import { acpDetails, acpReader } from './acp/lines.ts'
import { allowsAll, grantsOf } from './kind/grants.ts'
import { about, fields, type Fields, list, number, objectOf, oneLine, text } from './kind/json-line.ts'
import type { AgentKind, Brief } from './kind/kind.ts'
import { copilotServers, otherServers, unwanted } from './kind/other-servers.ts'
import { mcpPromptFor } from './kind/prompts.ts'
import { jsonFile, SERVER_NAME, serverConfig } from './kind/server-config.ts'
import { errorReadings, plainLine } from './reading/errors.ts'
import { type Detail, inputOf, type Reading } from './reading/reading.ts'

const usageFile = (scratch: string): string => `${scratch}.usage.json`

/** Reads a line of `copilot --output-format json`. Most lines describe a screen that aiswarm does not draw. */
const readCopilot = (line: string, at?: Instant): readonly Reading[] => {
  const event = objectOf(line)
  if (event === undefined) return plainLine(line, at)
  const data = fields(event.data)
  switch (event.type) {
    case 'assistant.message':
      return [
        ...(text(data.model) === '' ? [] : [{ kind: 'model' as const, name: text(data.model) }]),
        ...(text(data.content).trim() === '' ? [] : [{ kind: 'text' as const, text: text(data.content) }]),
      ]
    case 'tool.execution_start':
      return [{ kind: 'tool', name: text(data.toolName), about: about(data.arguments), call: text(data.toolCallId) }]
    case 'tool.execution_complete':
      return data.success === false ? [failed(data)] : []
    case 'session.mcp_servers_loaded':
    case 'session.mcp_server_status_changed':
      return [data, ...list(data.servers)].flatMap((server) =>
        server.status === 'failed' && nameOf(server) === SERVER_NAME ? [noServer(server)] : [],
      )
    case 'session.error':
    case 'session.warning':
      return complained(data, event.type === 'session.error', at)
    case 'result':
      return [
        ...(text(event.sessionId) === '' ? [] : [{ kind: 'session' as const, id: text(event.sessionId) }]),
        { kind: 'ended', ok: event.exitCode === 0, sentence: `exit code ${number(event.exitCode)}` },
      ]
    default:
      return []
  }
}

const failed = (data: Fields): Reading => {
  const { code, message } = fields(data.error)
  const denied = code === 'denied' || code === 'rejected'
  return {
    kind: denied ? 'denied' : 'tool_failed',
    name: '',
    about: denied ? '' : oneLine(text(message)),
    call: text(data.toolCallId),
  }
}

const nameOf = (server: Fields): string => text(server.name) || text(server.serverName)

const noServer = (server: Fields): Reading => ({
  kind: 'no_server',
  sentence: oneLine(`The MCP server ${SERVER_NAME} did not start: ${text(server.error)}`, 500),
})

const complained = (data: Fields, bad: boolean, at: Instant | undefined): readonly Reading[] => {
  const said = text(data.message)
  if (!bad) return [{ kind: 'note', level: 'warn', text: oneLine(said, 500) }]
  const status = number(data.statusCode)
  return errorReadings(status === 0 ? said : `${status} ${said}`, 'error', at)
}

/** Reads the details of a line of `copilot --output-format json`. */
export const copilotDetails = (line: string): readonly Detail[] => {
  const event = objectOf(line)
  const data = fields(event?.data)
  const call = text(data.toolCallId)
  if (event?.type === 'tool.execution_start') return inputOf(call, fields(data.arguments))
  return event?.type === 'tool.execution_complete'
    ? [
        {
          kind: 'result',
          call,
          text: text(fields(data.result).content) || text(fields(data.error).message),
          failed: data.success === false,
        },
      ]
    : []
}

/** Reads the file that it writes at its end: only there does it count tokens, for the whole session. */
const readCopilotUsage = (content: string): readonly Reading[] => {
  const metrics = fields(objectOf(content))
  const models = Object.values(fields(metrics.modelMetrics)).map((model) => fields(fields(model).usage))
  if (models.length === 0) return []
  const sum = (key: string): number => models.reduce((total, usage) => total + number(usage[key]), 0)
  const tokens = number(metrics.lastCallInputTokens) + number(metrics.lastCallOutputTokens)
  return [
    {
      kind: 'usage',
      of: 'session',
      tokensIn: sum('inputTokens'),
      tokensOut: sum('outputTokens'),
      tokensCached: sum('cacheReadTokens'),
      costUsd: null,
    },
    ...(tokens === 0 ? [] : [{ kind: 'context' as const, tokens, window: null }]),
  ]
}

/** GitHub Copilot CLI without a conversation. Without a terminal it cannot ask: it denies everything that no `--allow-tool` names. */
export const copilotHeadless: AgentKind = {
  name: 'copilot',
  exitDecides: false,
  passes: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST'],
  program: {
    binary: 'copilot',
    package: '@github/copilot',
    verified: ['1.0.102'],
    login: { files: ['.copilot/config.json'], variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'] },
  },
  state: {
    folders: ['.copilot', '.cache/copilot', '.local/state/copilot'],
    settings: ['mcp-config.json', 'agents', 'skills', 'copilot-instructions.md'].map((name) => `.copilot/${name}`),
    variables: ['COPILOT_HOME'],
  },
  hosts: ['api.github.com', 'github.com', 'api.githubcopilot.com', '*.githubcopilot.com'],
  resumes: true,
  unasked: 'It cannot ask: a list of tools decides what it may do.',
  ownServers: copilotServers,
  launch: (brief) => {
    const config = `${brief.scratch}.mcp.json`
    return {
      argv: [
        ...['copilot', '--output-format', 'json', '--usage-output-file', usageFile(brief.scratch)],
        ...[
          '--no-ask-user',
          '--no-auto-update',
          '--disable-builtin-mcps',
          '--disable-client-telemetry',
          '--additional-mcp-config',
          `@${config}`,
        ],
        ...unwanted(brief).flatMap((name) => ['--disable-mcp-server', name]),
        ...permissions(brief),
        ...(brief.model === null ? [] : ['--model', brief.model]),
        ...(brief.resume === null ? [] : [`--resume=${brief.resume}`]),
        ...brief.args,
      ],
      stdin: mcpPromptFor(brief),
      files: [jsonFile(config, servers(brief))],
      // A person's settings for their own sessions must not allow more here than aiswarm's configuration.
      environment: { COPILOT_AUTO_UPDATE: 'false', COPILOT_ALLOW_ALL: 'false' },
    }
  },
  read: readCopilot,
  details: copilotDetails,
  terminal: (session) => ['copilot', `--resume=${session}`],
  afterwards: { path: usageFile, read: readCopilotUsage },
}

const { afterwards: _, ...withoutUsageFile } = copilotHeadless

export const copilotAcp: Differences = {
  modes: [],
  rejectEnds: true,
  errorText: /^Error: /,
  patience: 3000,
}

/** GitHub Copilot CLI in a conversation: it asks for everything but the tools of our server. */
export const copilot: AgentKind = {
  ...withoutUsageFile,
  talk: acpTalk(copilotAcp),
  read: acpReader(copilotAcp),
  details: acpDetails(false),
  unasked: 'It does not ask before it reads files.',
  launch: (brief) => {
    const config = `${brief.scratch}.mcp.json`
    return {
      argv: [
        ...['copilot', '--acp', '--no-auto-update', '--disable-builtin-mcps', '--disable-client-telemetry'],
        // It accepts no server over stdio from its client, and does not say so.
        ...['--additional-mcp-config', `@${config}`],
        ...unwanted(brief).flatMap((name) => ['--disable-mcp-server', name]),
        ...(allowsAll(brief) ? ['--allow-all-tools', '--allow-all-paths'] : [`--allow-tool=${brief.server.name}`]),
        ...(brief.readOnly ? ['--deny-tool=write'] : []),
        ...(brief.model === null ? [] : ['--model', brief.model]),
        ...brief.args,
      ],
      stdin: mcpPromptFor(brief),
      opening: openingOf(copilotAcp, brief, { mcpServers: [], modes: [], strict: false }),
      files: [jsonFile(config, servers(brief))],
      environment: { COPILOT_AUTO_UPDATE: 'false', COPILOT_ALLOW_ALL: 'false' },
    }
  },
}

const servers = (brief: Brief): unknown => {
  const { given } = otherServers(brief)
  const typed = Object.entries(given).map(([name, server]) => [
    name,
    { type: 'url' in server ? 'http' : 'local', tools: ['*'], ...server },
  ])
  return {
    mcpServers: {
      ...(Object.fromEntries(typed) as object),
      ...serverConfig({ ...brief, servers: { own: {}, keepsOwn: true, given: {} } }, { type: 'local', tools: ['*'] })
        .mcpServers,
    },
  }
}

const permissions = (brief: Brief): readonly string[] => {
  const { everything, edit, shell, tools } = grantsOf(brief)
  if (everything) return ['--allow-all-tools', '--allow-all-paths']
  return [
    brief.server.name,
    ...(edit ? ['write'] : []),
    ...shell.filter(fits).map((words) => `shell(${words}:*)`),
    ...tools,
  ].map((tool) => `--allow-tool=${tool}`)
}

/** It identifies commands by a program and one more word; fewer words would allow more than the rule says. */
const fits = (words: string): boolean => words.split(' ').length <= 2
