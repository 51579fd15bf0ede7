import { basename, join } from 'node:path'
import { appServer, appServerDetails, codexOpening, readAppServer } from './codex/app-server.ts'
import { codexDetails, codexThreads, readCodex, readCodexThread } from './codex/lines.ts'
import { allowsAll } from './kind/grants.ts'
import type { AgentKind, Brief } from './kind/kind.ts'
import { codexServers, otherServers, unwanted } from './kind/other-servers.ts'
import { mcpPromptFor } from './kind/prompts.ts'
import { START_TIMEOUT, TOOL_TIMEOUT } from './kind/server-config.ts'

/**
 * Codex without a conversation. It works in its own sandbox: the worktree and the repository's git directory are writable, the network is
 * unreachable. It cannot ask, and rules for single commands would have to be in the person's home, so a persona's rules
 * have no effect.
 */
export const codexHeadless: AgentKind = {
  name: 'codex',
  exitDecides: false,
  passes: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*'],
  program: {
    binary: 'codex',
    package: '@openai/codex',
    verified: ['0.169.0'],
    login: { files: ['.codex/auth.json'], variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'] },
  },
  state: {
    folders: ['.codex'],
    settings: ['config.toml', 'AGENTS.md', 'prompts', 'rules', 'skills'].map((name) => `.codex/${name}`),
    variables: ['CODEX_HOME'],
  },
  hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  resumes: true,
  forks: 'codex exec cannot begin with a copy of a conversation; agents.kinds.codex.protocol: app-server can.',
  unasked: 'It cannot ask: its sandbox decides what it may do.',
  ownServers: codexServers,
  launch: (brief) => ({
    argv: [
      ...['codex', 'exec', '--json', '--skip-git-repo-check'],
      ...sandbox(brief),
      ...settings(brief).flatMap(([key, value]) => ['-c', `${key}=${toml(value)}`]),
      ...(brief.model === null ? [] : ['-m', brief.model]),
      ...brief.args,
      ...(brief.resume === null ? [] : ['resume', brief.resume]),
      '-',
    ],
    stdin: mcpPromptFor(brief),
    files: [],
    // It passes its servers only the variables in `env_vars`, and `env` would put the values into the arguments.
    environment: { ...givenEnvironment(brief), ...brief.server.environment },
  }),
  read: readCodex,
  details: codexDetails,
  // Without the option it leaves a process that keeps the conversation from the next run.
  terminal: (session) => ['codex', 'resume', '--no-daemon', session],
  ledger: { paths: codexThreads, read: readCodexThread },
}

/**
 * Codex in a conversation. It asks for each command that it does not know as harmless; its sandbox confines those that
 * a person allows. Where that cannot begin inside ours, ours alone does: Codex would otherwise run each command a second
 * time without its sandbox, and not always (seen with 0.171.0 on a busy machine: it gave the model the error of the first).
 */
export const codex: AgentKind = {
  ...codexHeadless,
  talk: appServer,
  read: readAppServer,
  details: appServerDetails,
  forks: true,
  unasked: 'It does not ask for commands that it considers harmless; its sandbox confines them.',
  launch: (brief) => ({
    argv: [
      'codex',
      ...[...settings(brief), ...writable(brief)].flatMap(([key, value]) => ['-c', `${key}=${toml(value)}`]),
      'app-server',
      ...brief.args,
    ],
    stdin: mcpPromptFor(brief),
    opening: codexOpening({
      resume: brief.resume,
      fork: brief.fork?.session ?? null,
      thread: {
        cwd: brief.folder,
        ...(brief.model === null ? {} : { model: brief.model }),
        approvalPolicy: brief.readOnly || allowsAll(brief) ? 'never' : 'untrusted',
        sandbox: brief.readOnly
          ? 'read-only'
          : allowsAll(brief) || !brief.ownSandbox
            ? 'danger-full-access'
            : 'workspace-write',
      },
    }),
    files: [],
    environment: { ...givenEnvironment(brief), ...brief.server.environment },
  }),
}

type Setting = readonly [string, string | number | boolean | readonly string[]]

const writable = (brief: Brief): readonly Setting[] =>
  brief.readOnly ? [] : [['sandbox_workspace_write.writable_roots', gitFolders(brief)]]

const sandbox = (brief: Brief): readonly string[] => {
  const { approvals, readOnly } = brief
  if (readOnly) return ['-s', 'read-only']
  if (approvals === 'allow-all') return ['--dangerously-bypass-approvals-and-sandbox']
  return ['-s', 'workspace-write', ...gitFolders(brief).flatMap((folder) => ['--add-dir', folder])]
}

/**
 * It makes the git directory of a worktree read-only, even in a writable folder, unless it is listed itself. Git names
 * it after the worktree's folder, with a number if that name is in use.
 */
const gitFolders = ({ gitFolder, worktreeGitFolder, worktree, folder }: Brief): readonly string[] =>
  worktree === null ? [gitFolder] : [gitFolder, worktreeGitFolder ?? join(gitFolder, 'worktrees', basename(folder))]

/** A header of a configured server is passed in a variable, because an argument is visible in `ps`. */
const headerVariable = (server: number, header: number): string => `AISWARM_HEADER_${server}_${header}`

/** The variables of all configured servers: each takes those that its entry names. */
const givenEnvironment = (brief: Brief): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.values(otherServers(brief).given).flatMap((server, n) =>
      'url' in server
        ? Object.values(server.headers).map((value, at) => [headerVariable(n, at), value] as const)
        : Object.entries(server.env),
    ),
  )

const otherSettings = (brief: Brief): readonly Setting[] => [
  ...unwanted(brief).map((name): Setting => [`mcp_servers.${name}.enabled`, false]),
  ...Object.entries(otherServers(brief).given).flatMap(([name, server], n): readonly Setting[] => {
    const entry = `mcp_servers.${name}`
    if ('url' in server)
      return [
        [`${entry}.url`, server.url],
        ...Object.keys(server.headers).map((header, at): Setting => [
          `${entry}.env_http_headers.${header}`,
          headerVariable(n, at),
        ]),
      ]
    return [
      [`${entry}.command`, server.command],
      [`${entry}.args`, server.args],
      [`${entry}.env_vars`, Object.keys(server.env)],
    ]
  }),
]

const settings = ({ server, ...brief }: Brief): readonly Setting[] => {
  const ours = `mcp_servers.${server.name}`
  return [
    ['check_for_update_on_startup', false],
    ['analytics.enabled', false],
    [`${ours}.command`, server.command],
    [`${ours}.args`, server.args],
    [`${ours}.env_vars`, Object.keys(server.environment)],
    // Unless our server is required, it calls the model without our tools; if required, a dead server ends the run with
    // 1.
    [`${ours}.required`, true],
    [`${ours}.startup_timeout_sec`, START_TIMEOUT / 1000],
    [`${ours}.tool_timeout_sec`, TOOL_TIMEOUT / 1000],
    // In its sandbox it refuses calls that seem to need an approval, which no person could give.
    [`${ours}.default_tools_approval_mode`, 'approve'],
    ...otherSettings({ server, ...brief }),
  ]
}

/** A JSON string is a valid TOML string, and so are arrays of strings, numbers and booleans. */
const toml = (value: string | number | boolean | readonly string[]): string => JSON.stringify(value)
