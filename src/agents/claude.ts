import type { Heard, Talk } from './kind/conversation.ts'
import { granted, readingCommands } from './kind/grants.ts'
import { fields, type Fields, number, objectOf, text } from './kind/json-line.ts'
import type { AgentKind, Brief, Launch } from './kind/kind.ts'
import { claudeServers, otherServers } from './kind/other-servers.ts'
import { mcpPromptFor } from './kind/prompts.ts'
import { jsonFile, serverConfig, START_TIMEOUT, TOOL_TIMEOUT } from './kind/server-config.ts'
import { messageDetails, messageReader } from './reading/message-stream.ts'
import type { Reading, Tokens } from './reading/reading.ts'

const tokensOf = (usage: Fields): Tokens => ({
  tokensIn:
    number(usage.input_tokens) + number(usage.cache_creation_input_tokens) + number(usage.cache_read_input_tokens),
  tokensOut: number(usage.output_tokens),
  tokensCached: number(usage.cache_read_input_tokens),
})

/** Reads the same lines for the report of a run. */
export const readStream = messageReader({
  usage: (result) => [usage(result), ...windows(result)],
  turn: (usage) =>
    number(usage.input_tokens) +
    number(usage.cache_creation_input_tokens) +
    number(usage.cache_read_input_tokens) +
    number(usage.output_tokens),
  spent: tokensOf,
  // It reports errors of its service in a message that it writes itself.
  isError: (message) => typeof message.error === 'string' || message.is_error === true,
  // A person's answer to our tool can be any sentence; the final message lists the denials.
  isDenial: () => false,
})

/** Claude Code without a conversation: it asks a person through the tool `request_permission` of our server. */
export const claudeHeadless: AgentKind = {
  name: 'claude',
  exitDecides: false,
  passes: ['ANTHROPIC_*', 'CLAUDE_*', 'AWS_*', 'GOOGLE_APPLICATION_CREDENTIALS', 'CLOUD_ML_REGION', 'VERTEX_*'],
  program: {
    binary: 'claude',
    package: '@anthropic-ai/claude-code',
    verified: ['2.1.197', '2.1.329'],
    login: {
      files: ['.claude/.credentials.json'],
      variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    },
  },
  state: {
    folders: ['.claude'],
    files: ['.claude.json'],
    settings: [
      'settings.json',
      'settings.local.json',
      'CLAUDE.md',
      'commands',
      'agents',
      'hooks',
      'skills',
      'plugins',
    ].map((name) => `.claude/${name}`),
    variables: ['CLAUDE_CONFIG_DIR'],
  },
  hosts: ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com', 'claude.ai'],
  resumes: true,
  ownServers: claudeServers,
  launch: (brief) => launchOf(brief, [], `mcp__${brief.server.name}__request_permission`),
  read: readStream,
  details: messageDetails,
  forks: true,
  terminal: (session) => ['claude', '--resume', session],
}

/**
 * Claude Code's `stream-json` in both directions: messages of the user, and control requests, which each side asks and
 * the other answers. With `--replay-user-messages` it repeats a message when its turn takes the message in.
 */
export const stream: Talk = {
  protocol: 'stream-json',
  steers: true,
  patience: 15_000,
  say: (id, words) =>
    JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text: words }] }, uuid: id }),
  stop: (id) => JSON.stringify({ type: 'control_request', request_id: id, request: { subtype: 'interrupt' } }),
  answer: (call, verdict) =>
    JSON.stringify({
      type: 'control_response',
      response: {
        subtype: 'success',
        request_id: call,
        response: verdict.allowed
          ? { behavior: 'allow', updatedInput: verdict.input }
          : { behavior: 'deny', message: verdict.message },
      },
    }),
  refuse: (call, why) =>
    JSON.stringify({ type: 'control_response', response: { subtype: 'error', request_id: call, error: why } }),
  listen: () => (line) => {
    const message = objectOf(line)
    return message === undefined ? [] : (readers[text(message.type)]?.(message) ?? [])
  },
}

/** Claude Code in a conversation: its input stays open, and it asks for permission there. */
export const claude: AgentKind = {
  ...claudeHeadless,
  launch: (brief) => launchOf(brief, ['--input-format', 'stream-json', '--replay-user-messages'], 'stdio'),
  talk: stream,
}

const launchOf = (brief: Brief, input: readonly string[], promptTool: string): Launch => {
  const config = `${brief.scratch}.mcp.json`
  return {
    argv: [
      ...['claude', '-p', ...input, '--output-format', 'stream-json', '--verbose'],
      ...['--mcp-config', config, '--strict-mcp-config'],
      ...permissions(brief, promptTool),
      ...(brief.model === null ? [] : ['--model', brief.model]),
      ...(brief.resume === null ? [] : ['--resume', brief.resume]),
      ...(brief.fork ? ['--resume', brief.fork.session, '--fork-session'] : []),
      ...brief.args,
    ],
    // An argument is limited to 128 KB on Linux and visible in `ps`; standard input is neither.
    stdin: mcpPromptFor(brief),
    files: [jsonFile(config, servers(brief))],
    environment: {
      // Only both together make it wait for the server before it calls the model.
      MCP_CONNECTION_NONBLOCKING: '0',
      MCP_CONNECT_TIMEOUT_MS: String(START_TIMEOUT),
      MCP_TOOL_TIMEOUT: String(TOOL_TIMEOUT),
      // Otherwise a search hides our tools, and the model sees the first words of their descriptions at best.
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      // As root it refuses to skip permissions unless this variable declares a sandbox.
      ...(brief.asRoot && allowsAll(brief) ? { IS_SANDBOX: '1' } : {}),
    },
  }
}

/** Strict, so that no `.mcp.json` of a branch starts a program; the person's own servers are passed on. */
const servers = (brief: Brief): unknown => {
  const { own, keepsOwn, given } = otherServers(brief)
  // Without a type it treats an entry with an address as a program.
  const typed = Object.entries(given).map(
    ([name, server]) => [name, 'url' in server ? { type: 'http', ...server } : { type: 'stdio', ...server }] as const,
  )
  return {
    mcpServers: {
      ...(keepsOwn ? own : {}),
      ...Object.fromEntries(typed),
      ...serverConfig({ ...brief, servers: { own: {}, keepsOwn: true, given: {} } }, { type: 'stdio' }).mcpServers,
    },
  }
}

const allowsAll = (brief: Brief): boolean => brief.approvals === 'allow-all' && !brief.readOnly

const permissions = (brief: Brief, promptTool: string): readonly string[] => {
  const ours = `mcp__${brief.server.name}`
  if (allowsAll(brief)) return ['--dangerously-skip-permissions']
  if (brief.readOnly) {
    return [
      '--permission-mode',
      'default',
      '--disallowedTools',
      'Edit,Write,NotebookEdit',
      '--allowedTools',
      [ours, ...readingCommands.map(bash)].join(','),
    ]
  }
  const { edit, shell, tools } = granted(brief.allow)
  const rules = [ours, ...shell.map(bash), ...tools]
  // A rule for its editing tools would apply to every path; this mode applies only to its working folder.
  const mode = edit || brief.approvals === 'allow-edits' ? 'acceptEdits' : 'default'
  return [
    '--permission-mode',
    mode,
    '--permission-prompt-tool',
    promptTool,
    // Our own tool asks people; a person's verdict on this one would be an empty answer.
    ...(promptTool === 'stdio' ? ['--disallowedTools', 'AskUserQuestion'] : []),
    '--allowedTools',
    rules.join(','),
  ]
}

const bash = (words: string): string => `Bash(${words}:*)`

const readers: Readonly<Record<string, (message: Fields) => readonly Heard[]>> = {
  system: ({ subtype }) => (subtype === 'init' ? [{ kind: 'busy' }] : []),
  assistant: ({ user_message_uuids: ids }) => [
    { kind: 'busy' },
    ...(Array.isArray(ids) ? ids.map((id) => ({ kind: 'seen' as const, id: text(id) })) : []),
  ],
  user: ({ isReplay, uuid }) => (isReplay === true ? [{ kind: 'seen', id: text(uuid) }] : []),
  // Of several messages that one turn takes in, only the last is repeated.
  command_lifecycle: ({ state, command_uuid: id }) =>
    state === 'started' || state === 'completed' ? [{ kind: 'seen', id: text(id), over: state === 'completed' }] : [],
  result: () => [{ kind: 'idle' }],
  control_request: ({ request_id: call, request }) => asked(text(call), fields(request)),
  control_cancel_request: ({ request_id: call }) => [{ kind: 'takes_back', call: text(call) }],
  // It also repeats the answers that it was given, whose ids are its own.
  control_response: ({ response }) => [{ kind: 'seen', id: text(fields(response).request_id) }],
}

const asked = (call: string, request: Fields): readonly Heard[] =>
  request.subtype === 'can_use_tool'
    ? [{ kind: 'asks', call, tool: text(request.tool_name), input: fields(request.input) }]
    : [{ kind: 'asks_else', call, what: text(request.subtype) }]

/**
 * The usage of the process so far, including the models that it used in addition. Since 2.1.330 it counts the earlier
 * runs of a resumed session too, except those that were killed; 2.1.197 did not.
 */
const usage = (result: Fields): Reading => {
  const models = Object.values(fields(result.modelUsage)).map(fields)
  const sum = (key: string): number => models.reduce((total, model) => total + number(model[key]), 0)
  const cached = sum('cacheReadInputTokens')
  return {
    kind: 'usage',
    of: 'run',
    // It counts cache reads and cache writes separately from other input.
    tokensIn: sum('inputTokens') + cached + sum('cacheCreationInputTokens'),
    tokensOut: sum('outputTokens'),
    tokensCached: cached,
    costUsd: typeof result.total_cost_usd === 'number' ? result.total_cost_usd : null,
    turn: tokensOf(fields(result.usage)),
  }
}

const windows = (result: Fields): readonly Reading[] =>
  Object.entries(fields(result.modelUsage)).flatMap(([model, usage]) => {
    const window = number(fields(usage).contextWindow)
    return window > 0 ? [{ kind: 'context', tokens: null, window, model }] : []
  })
