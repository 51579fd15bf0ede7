import { spawnSync } from 'node:child_process'
import { CLUSTER, startCluster } from '../support/postgres.ts'
import { cases } from './cases.ts'
import { CANNOT } from './play.ts'
import { kindOf } from './ways.ts'
import { type Cli, clis, install, versionOf } from './clis.ts'

// `npm run test:agents [-- cli… case…]`: real agent CLIs through the real launcher on a real board, with a model that
// follows a script. Installs the newest version of each once (`claude@2.1.197` requests another, `gemini+headless` another
// way of speaking with it); the runs themselves reach only the loopback, if the system allows that. `postgresql` among the
// words keeps the boards on a server of its own.

const names = process.argv.slice(2)
/** Kept here because a stage removes the variables of the tests before its program starts. */
const board = process.env[CLUSTER] === undefined ? 'file' : 'server'
const asked = new Map<string, string | undefined>(
  names.map((name) => [name.split(/[@+]/)[0]!, /@([^+]+)/.exec(name)?.[1]]),
)
const spoken = new Map(names.map((name) => [name.split(/[@+]/)[0]!, /\+([^@]+)/.exec(name)?.[1]]))
const chosen = {
  clis: clis
    .filter(({ name }) => !clis.some((cli) => asked.has(cli.name)) || asked.has(name))
    .map((cli) => withProtocol(cli, spoken.get(cli.name))),
  cases: Object.keys(cases).filter((name) => !names.some((one) => Object.hasOwn(cases, one)) || names.includes(name)),
}

if (process.env['AISWARM_OFFLINE'] === undefined) {
  const missing = chosen.clis.map((cli) => [cli, whyNotInstalled(cli)] as const).filter(([, why]) => why !== undefined)
  const here = chosen.clis.filter((cli) => !missing.some(([one]) => one === cli))
  const status = here.length === 0 ? 0 : runOffline(here)
  // A CLI that was not tried is a failure: nothing is known about it.
  for (const [{ name }, why] of missing)
    console.log(`${name.padEnd(9)} ✗ ${why!} Mend that, or name the CLIs to try: npm run test:agents -- claude codex`)
  process.exit(missing.length > 0 ? 1 : status)
}

function withProtocol(cli: Cli, protocol: string | undefined): Cli {
  return protocol === undefined ? cli : { ...cli, protocol }
}

function whyNotInstalled(cli: Cli): string | undefined {
  try {
    install(cli, asked.get(cli.name))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const results = new Map<string, string>()
const resultOf = (cli: Cli, name: string): string => results.get(`${cli.name} ${name}`)!
for (const cli of chosen.clis) {
  for (const name of chosen.cases) {
    const begun = Date.now()
    const result = await played(cli, name)
    results.set(`${cli.name} ${name}`, result)
    const seconds = String(Math.round((Date.now() - begun) / 1000)).padStart(4)
    console.log(`${cli.name.padEnd(9)} ${name.padEnd(11)} ${seconds} s  ${result}`)
  }
}
console.log('')
printMatrix()
process.exit([...results.values()].some((result) => result.startsWith('✗')) ? 1 : 0)

/** The result with its sign: ✓ seen, ✗ not as promised, – a reason why the CLI has no such case. */
async function played(cli: Cli, name: string): Promise<string> {
  try {
    const why = cases[name]!.cannot?.(cli)
    if (why !== undefined) return `${CANNOT}${why}`
    const result = await cases[name]!.play(cli)
    return result.startsWith(CANNOT) ? result : `✓ ${result}`
  } catch (error) {
    return `✗ ${error instanceof Error ? error.message : String(error)}`
  }
}

/** A line for each case, a column for each CLI, and how many of its cases were seen. */
function printMatrix(): void {
  const cell = (text: string): string => text.padEnd(10)
  const line = (head: string, cells: readonly string[]): void =>
    console.log(`${head.padEnd(12)} ${cells.map(cell).join(' ')}`.trimEnd())
  line(
    '',
    chosen.clis.map(({ name }) => name),
  )
  line('version', chosen.clis.map(versionOf))
  line(
    'way',
    chosen.clis.map((cli) => kindOf(cli).talk?.protocol ?? 'headless'),
  )
  line(
    'board',
    chosen.clis.map(() => board),
  )
  for (const name of chosen.cases)
    line(
      name,
      chosen.clis.map((cli) => resultOf(cli, name)[0]!),
    )
  const of = (cli: Cli, sign: string): number =>
    chosen.cases.filter((name) => resultOf(cli, name).startsWith(sign)).length
  line(
    'seen',
    chosen.clis.map((cli) => `${of(cli, '✓')} of ${chosen.cases.length - of(cli, '–')}`),
  )
}

/** The same again, in a network namespace of its own if the system allows one. */
function runOffline(here: readonly Cli[]): number {
  const self = [
    process.execPath,
    process.argv[1]!,
    ...here.map(({ name, protocol }) => (protocol === undefined ? name : `${name}+${protocol}`)),
    ...chosen.cases,
  ]
  // The shell stays the first process, which adopts orphans: a test terminal must descend from a process that stays.
  const isolated = [
    'unshare',
    '--net',
    '--pid',
    '--fork',
    '--mount-proc',
    '--kill-child',
    'sh',
    '-c',
    'ip link set lo up && { "$@"; exit $?; }',
    'offline',
  ]
  const may =
    process.platform === 'linux' &&
    spawnSync(isolated[0]!, [...isolated.slice(1), 'true'], { stdio: 'ignore' }).status === 0
  if (!may)
    console.log(
      'This system lets us make no network of its own: nothing but good manners keeps the CLIs from the real one.',
    )
  const [command, ...args] = may ? [...isolated, ...self] : self
  const server = names.includes('postgresql') ? startCluster({ fsync: false }) : undefined
  const environment = { AISWARM_OFFLINE: '1', ...(server === undefined ? {} : { [CLUSTER]: server.url() }) }
  try {
    return spawnSync(command!, args, { stdio: 'inherit', env: { ...process.env, ...environment } }).status ?? 1
  } finally {
    server?.remove()
  }
}
