import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openStore } from '../../src/db/open.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { checkDatabase } from '../../src/operations/maintain-database.ts'
import type { Proof } from './proof.ts'
import { randomFrom } from './random.ts'
import { requirePrograms } from './require-programs.ts'
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

/** Places in the trace of one operation that are tried with each kind of call and each fault. */
const POINTS = 3

/** One system call within the repository: the n-th of its name in its thread. */
interface Call {
  readonly name: string
  readonly nth: number
}

/** Every operation, with one system call of it failing, or being the last before kill -9. */
export const syscalls: Proof = {
  name: 'syscalls',
  shows:
    'A write, sync, rename, unlink or open that fails (ENOSPC, EIO), or is the last before kill -9, leaves nothing half done, loses nothing acknowledged, and is never called a bug.',
  run: async (share) => {
    requirePrograms('strace', 'git')
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aiswarm-prove-')))
    try {
      const bench = new Bench(folder)
      await bench.fill()
      const random = randomFrom(1)
      const counts = { operations: triedOperations.length, points: 0, 'took effect': 0 }
      const violations: string[] = []
      const cases = triedOperations.flatMap((operation) => Object.keys(kinds).flatMap((kind) => faults.map((fault) => ({ operation, kind, fault }))))
      const traces = new Map<string, readonly Call[]>()
      for (const { operation, kind, fault } of share.some(cases)) {
        if (!traces.has(operation.name)) {
          traces.set(operation.name, bench.trace(operation))
          const outcome = await bench.settled(operation, violations)
          if (outcome !== 'after') violations.push(`${operation.name}: without a fault it ends ${outcome}`)
        }
        const calls = traces.get(operation.name)!
        const left: Call[] = calls.filter(({ name }) => kinds[kind]!.includes(name))
        for (let at = 0; at < POINTS && left.length > 0; at++) {
          const [call] = left.splice(random(left.length), 1)
          const found = await bench.try(operation, call!, fault)
          if (!found.injected) continue
          counts.points++
          if (found.outcome === 'after') counts['took effect']++
          violations.push(...found.violations.map((violation) => `${operation.name}, ${fault} at ${call!.name} ${call!.nth}: ${violation}`))
        }
      }
      return { counts, violations }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

interface Found {
  readonly injected: boolean
  readonly outcome: Outcome
  readonly violations: readonly string[]
}

/** A repository that is laid out anew, at the same path, for each try. */
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
    const sh = (command: string): void => void execFileSync('sh', ['-ec', command], { cwd: this.#root, stdio: 'ignore' })
    sh(
      'git init -q -b main; git config user.name Somebody; git config user.email somebody@example.org; echo shop > README.md; echo .ai > .gitignore; git add .; git commit -qm Begin',
    )
    this.#plain('init')
    this.#plain('task', 'add', 'first', '--persona', 'implementer')
    this.#plain('db', 'backup', join(this.#case, 'copy.db'))
    for (const title of ['second', 'third']) this.#plain('task', 'add', title, '--persona', 'implementer')
    this.#plain('agent', 'register', 'ext', '--persona', 'implementer')
    this.#plain('task', 'claim', '3', '--agent', 'ext')
    this.#plain('task', 'start', '3', '--agent', 'ext')
    this.#plain('memory', 'observation', 'dev', 'old observation')
    this.#plain('worktree', 'create', 'auth', '--branch', 'feature/auth')
    writeFileSync(join(this.#case, 'translator.md'), 'Translate what you are given.\n')
    sh('cd ../auth; echo auth > auth.txt; git add auth.txt; git commit -qm Auth')
    cpSync(this.#case, join(this.#folder, 'template'), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  }

  /** The system calls of an operation that touch the repository. */
  trace(operation: TriedOperation): Call[] {
    this.#layOut(operation)
    const names = Object.values(kinds).flat()
    const output = join(this.#folder, 'trace')
    this.#run(['strace', '-f', '--seccomp-bpf', '-qq', '-y', '-o', output, '-e', `trace=${names.join(',')}`], operation)
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
    const { status, said } = this.#run(['strace', '-f', '--seccomp-bpf', '-qq', '-y', '-o', output, ...inject], operation)
    const trace = readFileSync(output, 'utf8')
    const injected = /\(INJECTED\)|killed by SIGKILL/.test(trace)
    const violations: string[] = []
    if (/bug in aiswarm/.test(said)) violations.push(`it is called a bug: ${said.split('\n')[0]}`)
    const outcome = await this.settled(operation, violations)
    if (outcome.startsWith('half')) violations.push(`${outcome} (code ${status}: ${said.split('\n')[0]})`)
    if (status === 0 && outcome !== 'after') violations.push(`it was acknowledged, and is not there (${outcome})`)
    return { injected, outcome, violations }
  }

  /** What became of the operation, when a supervisor has finished what it left. */
  async settled(operation: TriedOperation, violations: string[]): Promise<Outcome> {
    if (operation.settles) this.#plain('run', '--until-idle')
    return this.#outcome(operation, violations)
  }

  async #outcome(operation: TriedOperation, violations: string[]): Promise<Outcome> {
    const path = join(this.#root, '.aiswarm', 'coordination.db')
    try {
      const store = await openStore(path, { migrations })
      try {
        const { ok, findings } = checkDatabase({ store })
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
    cpSync(join(this.#folder, 'template'), this.#case, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    if (withoutDatabase) for (const end of ['', '-wal', '-shm']) rmSync(join(this.#root, '.aiswarm', `coordination.db${end}`), { force: true })
  }

  /** True where a line of the trace is about a file of the repository, or of what lies beside it. */
  #touches(line: string): boolean {
    const [, path] = /"((?:[^"\\]|\\.)*)"/.exec(line) ?? []
    if (/^\d+ +p?write/.test(line) || path === undefined) return line.includes(`<${this.#case}/`)
    return path.startsWith(`${this.#case}/`) || (!path.startsWith('/') && line.includes(`<${this.#case}`))
  }

  #plain(...words: readonly string[]): void {
    spawnSync(process.execPath, [main, ...words, '--root', this.#root], { cwd: '/', stdio: 'ignore', env: environment() })
  }

  #run(tracer: readonly string[], operation: TriedOperation): { status: number | null; said: string } {
    const [command, ...rest] = [...tracer, process.execPath, main, ...operation.words(this.#case), '--root', this.#root]
    const { status, stdout, stderr } = spawnSync(command!, rest, { cwd: '/', encoding: 'utf8', env: environment(), timeout: 120_000 })
    return { status, said: `${stderr}${stdout}` }
  }
}

/** The proof is about the program, not about whoever runs it. */
const environment = (): NodeJS.ProcessEnv => {
  const { AISWARM_AGENT_ID: _, AISWARM_ROOT: __, ...rest } = process.env
  return { ...rest, NODE_COMPILE_CACHE: existsSync('/dev/shm') ? '/dev/shm/aiswarm-prove-cache' : join(tmpdir(), 'aiswarm-prove-cache') }
}
