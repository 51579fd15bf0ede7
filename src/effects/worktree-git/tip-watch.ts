import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'

/** The words of the process inside, and how long it may take to answer (ms). */
const WORDS = ['cat-file', '--batch-check=%(objectname)']
const PATIENCE = 10_000

interface Watched {
  readonly own: { readonly worktree: string; readonly common: string; readonly id: string }
  readonly inside: readonly string[]
}

/**
 * Where a ref is inside, asked of one process of git there over its pipes. Its answer is only a reason to import; without
 * one, undefined.
 */
export class TipWatch {
  readonly #watched: Watched
  readonly #ref: string
  #child: ChildProcessWithoutNullStreams | undefined
  #said = ''
  #answer: ((line: string | undefined) => void) | undefined

  constructor(watched: Watched, ref: string) {
    this.#watched = watched
    this.#ref = ref
  }

  /** One question at a time. */
  async ask(): Promise<string | undefined> {
    if (this.#answer !== undefined) return undefined
    const child = (this.#child ??= this.#start())
    const timer = setTimeout(() => this.close(), PATIENCE)
    const line = await new Promise<string | undefined>((resolve) => {
      this.#answer = resolve
      child.stdin.write(`${this.#ref}\n`)
    })
    clearTimeout(timer)
    this.#answer = undefined
    return line
  }

  close(): void {
    this.#child?.kill('SIGKILL')
    this.#ended()
  }

  #start(): ChildProcessWithoutNullStreams {
    const { own, inside } = this.#watched
    const [program, ...args] = [...inside, 'git', `--git-dir=${own.common}/worktrees/${own.id}`, ...WORDS]
    const child = spawn(program!, args, { cwd: own.worktree, stdio: 'pipe' })
    child.stdin.on('error', () => {})
    child.stderr.resume()
    child.stdout.on('data', (piece: Buffer) => this.#hear(piece))
    for (const event of ['error', 'close'] as const) child.once(event, () => this.#child === child && this.#ended())
    return child
  }

  #hear(piece: Buffer): void {
    this.#said = (this.#said + piece.toString('latin1')).slice(-LONGEST)
    const end = this.#said.indexOf('\n')
    if (end === -1) return
    const line = this.#said.slice(0, end)
    this.#said = ''
    this.#answer?.(line)
  }

  #ended(): void {
    this.#child = undefined
    this.#said = ''
    this.#answer?.(undefined)
  }
}

/** A longer line is not an answer (bytes). */
const LONGEST = 1000
