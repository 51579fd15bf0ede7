import { execFileSync } from 'node:child_process'
import { randomFrom } from './random.ts'

/** A file of a commit: its bytes, or the commit of a submodule. */
export type Entry =
  string | Buffer | { readonly submodule: string } | { readonly link: string } | { readonly program: string }

interface Step {
  readonly branch?: string
  readonly message: string
  readonly files: Readonly<Record<string, Entry>>
  readonly gone?: readonly string[]
  /** Marks of the parents; by default the branch's tip. */
  readonly from?: number
  readonly merges?: readonly number[]
}

/** A history that `git fast-import` writes in one pack: thousands of commits in a second. */
export class History {
  readonly #pieces: Buffer[] = []
  readonly #tips = new Map<string, number>()
  #mark = 0
  #time = 1_600_000_000

  /** Returns the commit's mark. */
  commit({ branch = 'main', message, files, gone = [], from = this.#tips.get(branch), merges = [] }: Step): number {
    const mark = ++this.#mark
    this.#time += 3600
    const who = `Ada Lovelace <ada@example.com> ${this.#time} +0100`
    this.#say(`commit refs/heads/${branch}\nmark :${mark}\nauthor ${who}\ncommitter ${who}\n`)
    this.#data(Buffer.from(message))
    if (from !== undefined) this.#say(`from :${from}\n`)
    for (const one of merges) this.#say(`merge :${one}\n`)
    for (const path of gone) this.#say(`D ${quoted(path)}\n`)
    for (const [path, entry] of Object.entries(files)) this.#file(path, entry)
    this.#tips.set(branch, mark)
    return mark
  }

  /** Names the tip of a branch. */
  tag(name: string, branch = 'main'): void {
    this.#say(`reset refs/tags/${name}\nfrom :${this.#tips.get(branch)!}\n\n`)
  }

  /** Writes everything into an empty repository. */
  writeTo(folder: string): void {
    execFileSync('git', ['fast-import', '--quiet'], {
      cwd: folder,
      input: Buffer.concat(this.#pieces),
      stdio: ['pipe', 'ignore', 'inherit'],
    })
  }

  #file(path: string, entry: Entry): void {
    if (typeof entry === 'object' && 'submodule' in entry)
      return this.#say(`M 160000 ${entry.submodule} ${quoted(path)}\n`)
    const [mode, bytes] =
      typeof entry === 'string' || Buffer.isBuffer(entry)
        ? ['100644', entry]
        : 'link' in entry
          ? ['120000', entry.link]
          : (['100755', entry.program] as const)
    this.#say(`M ${mode} inline ${quoted(path)}\n`)
    this.#data(Buffer.from(bytes as string))
  }

  #say(text: string): void {
    // A path whose bytes are not text is written with one character per byte.
    this.#pieces.push(Buffer.from(text))
  }

  #data(bytes: Buffer): void {
    this.#pieces.push(Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n'))
  }
}

/** Quoted like git's paths, so that any byte is possible; `\xff` in a path is exactly that byte. */
const quoted = (path: string): string =>
  `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\xff', '\\377')}"`

/**
 * Files with a realistic history: each commit changes some lines of a few files; `merged` of a hundred steps merge a
 * branch. Returns the last commit.
 */
export const growHistory = (
  history: History,
  { seed, commits, files, merged }: { seed: number; commits: number; files: readonly string[]; merged: number },
): number => {
  const random = randomFrom(seed)
  const contents = new Map(
    files.map((path) => [path, Array.from({ length: 20 + random(120) }, (_, line) => lineOf(path, line, random))]),
  )
  const text = (path: string): string => `${contents.get(path)!.join('\n')}\n`
  const change = (): Record<string, string> => {
    const changed: Record<string, string> = {}
    for (let count = 1 + random(3); count > 0; count--) {
      const path = files[random(files.length)]!
      const lines = contents.get(path)!
      lines[random(lines.length)] = lineOf(path, random(1000), random)
      changed[path] = text(path)
    }
    return changed
  }
  history.commit({ message: 'Begin\n', files: Object.fromEntries(files.map((path) => [path, text(path)])) })
  let tip = history.commit({ message: 'Describe it\n', files: change() })
  for (let made = 2; made < commits;) {
    if (random(100) >= merged) {
      tip = history.commit({ message: `fix: change ${made}\n\nIt was wrong.\n`, files: change() })
      made++
    } else {
      const aside = change()
      const side = history.commit({
        branch: `topic-${made % 40}`,
        message: `feat: change ${made}\n`,
        files: aside,
        from: tip,
      })
      const meanwhile = Object.fromEntries(Object.entries(change()).filter(([path]) => !(path in aside)))
      const first = history.commit({ message: `chore: change ${made + 1}\n`, files: meanwhile })
      tip = history.commit({
        message: `Merge branch 'topic-${made % 40}'\n`,
        files: aside,
        from: first,
        merges: [side],
      })
      made += 3
    }
    if (made % 100 === 0) history.tag(`v0.${made / 100}.0`)
  }
  return tip
}

const lineOf = (path: string, line: number, random: (below: number) => number): string =>
  `${' '.repeat(2 * random(4))}${path.slice(-12)} ${line}: ${random(2 ** 30).toString(36)} = ${random(2 ** 30).toString(36)}`
