import { granted, readingCommands } from '../kind/grants.ts'
import type { AgentKind, Brief, Launch } from '../kind/kind.ts'
import { mcpPromptFor } from '../prompts/mcp-prompt.ts'
import { messageDetails } from '../reading/message-details.ts'
import { readStream, stream } from './stream.ts'
import { claudeServers, otherServers } from '../kind/other-servers.ts'
import { START_TIMEOUT, TOOL_TIMEOUT, jsonFile, serverConfig } from '../kind/server-config.ts'

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
