import { opencodeDetails } from './details.ts'
import { acpDetails } from '../acp/details.ts'
import { opencodeAcp } from '../acp/differences.ts'
import { acpReader } from '../acp/lines.ts'
import { acpTalk, openingOf } from '../acp/talk.ts'
import { allowsAll, grantsOf } from '../kind/grants.ts'
import { type AgentKind, type Brief } from '../kind/kind.ts'
import { mcpPromptFor } from '../prompts/mcp-prompt.ts'
import { readOpencode } from './lines.ts'
import { opencodeServers, otherServers, unwanted } from '../kind/other-servers.ts'
import { TOOL_TIMEOUT } from '../kind/server-config.ts'

/**
 * A separate agent definition: its rules are applied after those of the person and the repository, which cannot change
 * them.
 */
const AGENT = 'aiswarm'

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
