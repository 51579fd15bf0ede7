import { geminiDetails } from './details.ts'
import { geminiSessions, readGemini, readGeminiSession } from './lines.ts'
import { acpDetails } from '../acp/details.ts'
import { geminiAcp } from '../acp/differences.ts'
import { acpReader } from '../acp/lines.ts'
import { acpTalk, openingOf } from '../acp/talk.ts'
import { allowsAll, grantsOf } from '../kind/grants.ts'
import { type AgentHome, type AgentKind, type Brief } from '../kind/kind.ts'
import { mcpPromptFor } from '../prompts/mcp-prompt.ts'
import { NO_GUESSING, onlyOurs, serverConfig } from '../kind/server-config.ts'

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
