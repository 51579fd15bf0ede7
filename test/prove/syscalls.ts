import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openStore } from '../../src/db/sqlite/open.ts'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { checkDatabase } from '../../src/operations/database/maintenance.ts'
import { type Proof, requirePrograms } from './proof.ts'
import { randomFrom } from './random.ts'
import { sideBySide } from './side-by-side.ts'
import { triedOperations, type Outcome, type TriedOperation } from './syscall-operations.ts'

const main = resolve(import.meta.dirname, '../../dist/main.js')
const migrations = resolve(import.meta.dirname, '../../migrations')

/** System calls of one kind, by the names that the program or its git may call them. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  pwrite64: ['pwrite64', 'write'],
  fsync: ['fsync', 'fdatasync'],
  rename: ['rename', 'renameat', 'renameat2', 'link', 'linkat'],
  unlink: ['unlink', 'unlinkat'],
  openat: ['openat'],
}
const faults = ['signal=SIGKILL', 'error=ENOSPC', 'error=EIO'] as const

/** The places in the trace of one operation that are tried with each kind of call and each fault. */
const POINTS = 3

/** An operation that hangs is ended after this time (ms). */
const LONGEST = 120_000

/** Concurrent operations, each on a repository of its own. */
const LANES = 3

/** One kind of system call that meets one fault in an operation. */
interface Case {
  readonly operation: TriedOperation
  readonly kind: string
  readonly fault: (typeof faults)[number]
}

const countOf = (fault: Case['fault']): 'errors' | 'kills' => (fault.startsWith('signal=') ? 'kills' : 'errors')

/** One system call within the repository: the n-th of its name in its thread. */
interface Call {
  readonly name: string
  readonly nth: number
}

/** Every operation, with one system call that fails, or that is the last before kill -9. */
export const syscalls: Proof = {
  name: 'syscalls',
  shows:
    'A write, sync, rename, unlink or open that fails (ENOSPC, EIO), or is the last before kill -9, leaves nothing half done, loses nothing acknowledged, and is never called a bug.',
  run: async (share) => {
    requirePrograms('strace', 'git')
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aiswarm-prove-')))
    try {
      const benches = await Promise.all(
        Array.from({ length: LANES }, async (_, lane) => {
          const bench = new Bench(join(folder, String(lane)))
          await bench.fill()
          return bench
        }),
      )
      const counts = { operations: triedOperations.length, errors: 0, kills: 0, 'took effect': 0 }
      const violations: string[] = []
      // Mixed, since a share of as many parts as an operation has cases would try one kind with one fault everywhere.
      const all = mixed(
        triedOperations.flatMap((operation) =>
          Object.keys(kinds).flatMap((kind) => faults.map((fault): Case => ({ operation, kind, fault }))),
        ),
      )
      const tryCases = async (operation: TriedOperation, cases: readonly Case[], lane: number): Promise<void> => {
        if (cases.length === 0) return
        const bench = benches[lane]!
        const random = randomFrom(triedOperations.indexOf(operation) + 1)
        const calls = await bench.trace(operation)
        const outcome = await bench.settled(operation, violations)
        if (outcome !== 'after') violations.push(`${operation.name}: without a fault it ends ${outcome}`)
        for (const { kind, fault } of cases) {
          const left = calls.filter(({ name }) => kinds[kind]!.includes(name))
          for (let at = 0; at < POINTS && left.length > 0; at++) {
            const [call] = left.splice(random(left.length), 1)
            const found = await bench.try(operation, call!, fault)
            if (!found.injected) continue
            counts[countOf(fault)]++
            if (found.outcome === 'after') counts['took effect']++
            violations.push(
              ...found.violations.map(
                (violation) => `${operation.name}, ${fault} at ${call!.name} ${call!.nth}: ${violation}`,
              ),
            )
          }
        }
      }
      const part = share.some(all)
      await sideBySide(triedOperations, LANES, (operation, lane) =>
        tryCases(
          operation,
          part.filter((one) => one.operation === operation),
          lane,
        ),
      )
      // A small share may contain no call that fails so: then the first case of the others with one is tried too.
      for (const one of all)
        if (counts[countOf(one.fault)] === 0 && !part.includes(one)) await tryCases(one.operation, [one], 0)
      for (const fault of ['errors', 'kills'] as const)
        if (counts[fault] === 0) violations.push(`no system call was tried with ${fault}, so nothing is shown of them`)
      return { counts, violations }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** The same items in an order that is random, and the same in each run. */
const mixed = <Item>(items: readonly Item[]): readonly Item[] => {
  const random = randomFrom(1)
  const left = [...items]
  return items.map(() => left.splice(random(left.length), 1)[0]!)
}

interface Found {
  readonly injected: boolean
  readonly outcome: Outcome
  readonly violations: readonly string[]
}

/** A repository that is created again, at the same path, for each try. */
class Bench {
  readonly #folder: string
  readonly #case: string
  readonly #root: string

  constructor(folder: string) {
    this.#folder = folder
    this.#case = join(folder, 'case')
    this.#root = join(this.#case, 'shop')
  }

  async fill(): Promise<void> {
    mkdirSync(this.#root, { recursive: true })
    const sh = (command: string): void =>
      void execFileSync('sh', ['-ec', command], { cwd: this.#root, stdio: 'ignore' })
    sh(
      'git init -q -b main; git config user.name Somebody; git config user.email somebody@example.org; echo shop > README.md; echo .ai > .gitignore; git add .; git commit -qm Begin',
    )
    await this.#plain('init')
    await this.#plain('task', 'add', 'first', '--persona', 'implementer')
    await this.#plain('db', 'backup', join(this.#case, 'copy.db'))
    for (const title of ['second', 'third']) await this.#plain('task', 'add', title, '--persona', 'implementer')
    await this.#plain('agent', 'register', 'ext', '--persona', 'implementer')
    await this.#plain('task', 'claim', '3', '--agent', 'ext')
    await this.#plain('task', 'start', '3', '--agent', 'ext')
    await this.#plain('memory', 'observation', 'dev', 'old observation')
    await this.#plain('worktree', 'create', 'auth', '--branch', 'feature/auth')
    writeFileSync(join(this.#case, 'translator.md'), 'Translate what you are given.\n')
    sh('cd ../auth; echo auth > auth.txt; git add auth.txt; git commit -qm Auth')
    cpSync(this.#case, join(this.#folder, 'template'), {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
    })
  }

  /** The system calls of an operation that touch the repository. */
  async trace(operation: TriedOperation): Promise<readonly Call[]> {
    this.#layOut(operation)
    const names = Object.values(kinds).flat()
    const output = join(this.#folder, 'trace')
    await this.#run(
      ['strace', '-f', '--seccomp-bpf', '-qq', '-y', '-o', output, '-e', `trace=${names.join(',')}`],
      operation,
    )
    const seen = new Map<string, number>()
    const calls: Call[] = []
    for (const line of readFileSync(output, 'utf8').split('\n')) {
      const [, thread, name] = /^(\d+) +(\w+)\(/.exec(line) ?? []
      if (name === undefined || !names.includes(name)) continue
      const nth = (seen.get(`${thread} ${name}`) ?? 0) + 1
      seen.set(`${thread} ${name}`, nth)
      if (this.#touches(line)) calls.push({ name, nth })
    }
    return calls
  }

  async try(operation: TriedOperation, call: Call, fault: string): Promise<Found> {
    this.#layOut(operation)
    const output = join(this.#folder, 'trace')
    const inject = ['-e', `trace=${call.name}`, '-e', `inject=${call.name}:${fault}:when=${call.nth}`]
    // With a filter in the kernel, strace 6.1 returns errors, but sends no signal.
    const filter = fault.startsWith('signal=') ? [] : ['--seccomp-bpf']
    const { status, said, hung } = await this.#run(
      ['strace', '-f', ...filter, '-qq', '-y', '-o', output, ...inject],
      operation,
    )
    const lines = readFileSync(output, 'utf8').split('\n')
    const failed = lines.filter((line) => line.includes('(INJECTED)'))
    // The same count in another thread may be a pipe of libuv itself, which no program survives: that proves nothing
    // about a file.
    if (failed.some((line) => /^\d+ +\w+\(\d+<(?:pipe|socket|anon_inode):/.test(line)))
      return { injected: false, outcome: 'before', violations: [] }
    const injected = failed.length > 0 || lines.some((line) => line.includes('killed by SIGKILL'))
    const violations: string[] = []
    if (hung) violations.push('it does not end')
    if (/bug in aiswarm/.test(said)) violations.push(`it is called a bug: ${said.split('\n')[0]}`)
    const outcome = await this.settled(operation, violations)
    if (outcome.startsWith('half')) violations.push(`${outcome} (code ${status}: ${said.split('\n')[0]})`)
    if (status === 0 && outcome !== 'after') violations.push(`it was acknowledged, and is not there (${outcome})`)
    return { injected, outcome, violations }
  }

  /** The state of the operation after a supervisor has completed what it left. */
  async settled(operation: TriedOperation, violations: string[]): Promise<Outcome> {
    if (operation.settles) {
      const said = await this.#plain('run', '--until-idle')
      // A git that was killed leaves its lock, whose owner cannot be known: a person removes it, as the sentence says.
      const locks = [...said.matchAll(/(\/\S+\.lock) exists, so another git/g)].map(([, path]) => path!)
      for (const path of locks) rmSync(path, { force: true })
      if (locks.length > 0) await this.#plain('run', '--until-idle')
    }
    return this.#outcome(operation, violations)
  }

  async #outcome(operation: TriedOperation, violations: string[]): Promise<Outcome> {
    const path = join(this.#root, '.aiswarm', 'coordination.db')
    try {
      const store = await openStore(path, { migrations })
      try {
        const { ok, findings } = await checkDatabase({ store })
        if (!ok) violations.push(`the database is damaged: ${findings[0]}`)
        return operation.outcome({ root: this.#root, folder: this.#case, database: store.connection })
      } finally {
        store.close()
      }
    } catch (error) {
      return `half: ${isRefusal(error) ? error.message : String(error)}`
    }
  }

  #layOut({ withoutDatabase }: TriedOperation): void {
    rmSync(this.#case, { recursive: true, force: true })
    cpSync(join(this.#folder, 'template'), this.#case, {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
    })
    if (withoutDatabase)
      for (const end of ['', '-wal', '-shm'])
        rmSync(join(this.#root, '.aiswarm', `coordination.db${end}`), { force: true })
  }

  /** True if a line of the trace concerns a file of the repository, or a file next to it. */
  #touches(line: string): boolean {
    const [, path] = /"((?:[^"\\]|\\.)*)"/.exec(line) ?? []
    if (/^\d+ +p?write/.test(line) || path === undefined) return line.includes(`<${this.#case}/`)
    return path.startsWith(`${this.#case}/`) || (!path.startsWith('/') && line.includes(`<${this.#case}`))
  }

  /** Its output and its errors. */
  async #plain(...words: readonly string[]): Promise<string> {
    return (await this.#run([], { words: () => words })).said
  }

  async #run(
    tracer: readonly string[],
    operation: Pick<TriedOperation, 'words'>,
  ): Promise<{ status: number | null; said: string; hung: boolean }> {
    const [command = process.execPath, ...rest] = [
      ...tracer,
      process.execPath,
      main,
      ...operation.words(this.#case),
      '--root',
      this.#root,
    ]
    const child = spawn(command, rest, {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment(),
      detached: true,
    })
    let hung = false
    const limit = setTimeout(() => {
      hung = true
      // Ending only its tracer would leave it running.
      process.kill(-child.pid!, 'SIGKILL')
    }, LONGEST)
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece))
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (err += piece))
    const [status] = (await once(child, 'close')) as [number | null]
    clearTimeout(limit)
    return { status, said: `${err}${out}`, hung }
  }
}

/** The proof concerns the program, not the user who runs it. */
const environment = (): NodeJS.ProcessEnv => {
  const { AISWARM_AGENT_ID: _, AISWARM_ROOT: __, ...rest } = process.env
  return {
    ...rest,
    NODE_COMPILE_CACHE: existsSync('/dev/shm') ? '/dev/shm/aiswarm-prove-cache' : join(tmpdir(), 'aiswarm-prove-cache'),
  }
}
