import { lstatSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type {
  DecisionsView,
  DecisionView,
  FileMemories,
  Memories,
  TimelineView,
  WorkingMemoryView,
} from '../../contracts/memories.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { listMemoryNames } from '../../memory/file-system.ts'
import type { AdrFile } from '../../memory/project-memory/adr-file.ts'
import { adrFiles, parseAdrOf, readGraph } from '../../memory/project-memory/adrs.ts'
import { type DecisionLog, type DecisionNode, edgesOf } from '../../memory/project-memory/decision-graph.ts'
import { places } from '../../memory/project-memory/names.ts'
import { type ProjectPlace, readAt, textAt } from '../../memory/project-memory/store.ts'
import { parseTimeline } from '../../memory/project-memory/timeline.ts'
import { agentIdPattern } from '../../memory/session-files/file-names.ts'
import { existingFolder, memoryFiles, memoryPlace, type MemoryPlace } from '../../memory/working-memory/paths.ts'
import { WorkingMemoryStore } from '../../memory/working-memory/store.ts'
import type { Core } from '../../operations/perform/core.ts'
import { withFileLock } from '../../operations/perform/file-lock.ts'

/** The memories of a repository for a viewer. They are read on request, and never written. */
export const memoriesOf = (
  { root, clock, settings }: Pick<Core, 'root' | 'clock' | 'settings'>,
  environment: Readonly<Record<string, string | undefined>>,
): Memories => {
  const place: ProjectPlace = { root, lock: withFileLock, clock, owners: settings.memory.owners }
  const sentence = sentencesFor(root)
  const begin = () => {
    const known = knownFiles()
    return {
      working: workingReader(root, environment, known, sentence),
      decisions: decisionsReader(place, known, sentence),
      timeline: timelineReader(place, known, sentence),
    }
  }
  let readers: ReturnType<typeof begin> | undefined
  let last: FileMemories | undefined
  return {
    read: async () => {
      const own = (readers ??= begin())
      const next: FileMemories = {
        ...(await own.working()),
        decisions: await own.decisions(),
        timeline: await own.timeline(),
      }
      // The readers were closed meanwhile.
      if (own !== readers) return next
      const same =
        last !== undefined && (Object.keys(next) as (keyof FileMemories)[]).every((part) => next[part] === last![part])
      return same ? last! : (last = next)
    },
    forget: () => {
      readers = undefined
      last = undefined
    },
  }
}

/** Runs `read`. A refusal is passed to `refused` as a sentence with paths relative to the repository's root. */
type Sentences = <T>(read: () => T, refused: (sentence: string) => T) => T

const sentencesFor =
  (root: string): Sentences =>
  (read, refused) => {
    try {
      return read()
    } catch (error) {
      if (!isRefusal(error)) throw error
      return refused(error.message.replaceAll(join(root, '/'), ''))
    }
  }

/** Milliseconds after which a series of reads yields to keys and frames. */
const AT_ONCE = 8

/** Caches the result of `read` per file until the file's stamp changes; the content is not compared. */
interface KnownFiles {
  <T>(path: string, read: () => T): Promise<T>
}

const knownFiles = (): KnownFiles => {
  const known = new Map<string, { readonly stamp: string; readonly value: unknown }>()
  let began = performance.now()
  return async <T>(path: string, read: () => T): Promise<T> => {
    // Taken before the read: a file that changes meanwhile is read again.
    const stamp = stampOf(path)
    const before = known.get(path)
    if (before?.stamp === stamp) return before.value as T
    if (performance.now() - began > AT_ONCE) {
      await nextTurn()
      began = performance.now()
    }
    const value = read()
    known.set(path, { stamp, value })
    return value
  }
}

const stampOf = (path: string): string => {
  try {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
  } catch {
    return 'unreadable'
  }
}

/** Reads the working memory of every agent that has one. */
const workingReader = (
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  known: KnownFiles,
  sentence: Sentences,
) => {
  const place = memoryPlace(root, environment)
  const store = new WorkingMemoryStore(place, withFileLock)
  let last: readonly WorkingMemoryView[] = []
  const viewOf = (agent: string, file: string): WorkingMemoryView => {
    const path = shortest(root, file)
    return sentence<WorkingMemoryView>(
      () => ({ agent, path, notes: store.read(agent) ?? null, problem: null }),
      (problem) => ({ agent, path, notes: null, problem }),
    )
  }
  return async (): Promise<Pick<FileMemories, 'working' | 'workingProblem'>> => {
    const { files, problem } = sentence<{ readonly files: readonly WorkingFile[]; readonly problem: string | null }>(
      () => ({ files: filesIn(place), problem: null }),
      (problem) => ({ files: [], problem }),
    )
    const views: WorkingMemoryView[] = []
    for (const { agent, file } of files) views.push(await known(file, () => viewOf(agent, file)))
    return { working: (last = keptList(last, views)), workingProblem: problem }
  }
}

interface WorkingFile {
  readonly agent: string
  readonly file: string
}

const filesIn = (place: MemoryPlace): readonly WorkingFile[] => {
  const folder = existingFolder(place)
  if (folder === undefined) return []
  return listMemoryNames(folder).flatMap((name) => {
    const agent = /^working_memory_(.+)\.json$/.exec(name)?.[1]
    return agent !== undefined && agentIdPattern.test(agent) ? [{ agent, file: memoryFiles(folder, agent).memory }] : []
  })
}

const shortest = (root: string, file: string): string => {
  const path = relative(root, file)
  return path.startsWith('..') ? join(file) : path
}

interface Read {
  readonly id: string
  readonly path: string
  readonly file: AdrFile | null
  readonly problem: string | null
}

interface Graph {
  readonly nodes: DecisionLog['nodes']
  readonly problem: string | null
}

/** Reads the graph of decisions and the file of each; a file that cannot be read does not affect the others. */
const decisionsReader = (place: ProjectPlace, known: KnownFiles, sentence: Sentences) => {
  let last:
    | { readonly graph: Graph; readonly files: readonly Read[]; readonly named: string; readonly view: DecisionsView }
    | undefined
  const readFile = (id: string, path: string): Read =>
    sentence<Read>(
      () => ({ id, path, file: readAt(place, path, parseAdrOf(id)) ?? null, problem: null }),
      (problem) => ({ id, path, file: null, problem }),
    )
  return async (): Promise<DecisionsView> => {
    const graph = await known(join(place.root, places.decisions), () =>
      sentence<Graph>(
        () => ({ nodes: readGraph(place).nodes, problem: null }),
        (problem) => ({ nodes: [], problem }),
      ),
    )
    const listed = sentence<{ readonly found: ReturnType<typeof adrFiles>; readonly problem: string }>(
      () => ({ found: adrFiles(place), problem: '' }),
      (problem) => ({ found: [], problem }),
    )
    const read: Read[] = []
    for (const { id, path } of listed.found) read.push(await known(join(place.root, path), () => readFile(id, path)))
    const files = last ? keptList(last.files, read) : read
    if (last?.graph === graph && last.files === files && last.named === listed.problem) return last.view
    last = { graph, files, named: listed.problem, view: viewOf(graph, files, listed.problem) }
    return last.view
  }
}

const viewOf = (graph: Graph, files: readonly Read[], folderProblem: string): DecisionsView => {
  // Of several files of one decision the first counts, as in the commands.
  const byId = new Map([...files].reverse().map((file) => [file.id, file]))
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]))
  const ids = [...new Set([...byId.keys(), ...nodes.keys()])].sort(
    (a, b) => Number(a.slice(4)) - Number(b.slice(4)) || a.localeCompare(b),
  )
  return {
    decisions: ids.map((id) => decisionOf(id, byId.get(id), nodes.get(id))),
    // A folder that cannot be read gives the same problem for both.
    problems: [...new Set([graph.problem, folderProblem, ...files.map(({ problem }) => problem)])].filter(
      (problem): problem is string => problem !== null && problem !== '',
    ),
  }
}

const decisionOf = (id: string, read: Read | undefined, node: DecisionNode | undefined): DecisionView => ({
  id,
  status: node?.status ?? read?.file?.status ?? 'Draft',
  title: read?.file?.title ?? null,
  path: read?.path ?? null,
  text: read?.file?.text ?? null,
  edges: node ? edgesOf(node).filter(({ targets }) => targets.length > 0) : [],
})

/** Reads the timeline, including lines that are not entries. */
const timelineReader = (place: ProjectPlace, known: KnownFiles, sentence: Sentences) => (): Promise<TimelineView> =>
  known(join(place.root, places.timeline), () =>
    sentence<TimelineView>(
      () => {
        const { entries, problems } = parseTimeline(textAt(place, places.timeline) ?? '')
        return { entries, problems: problems.map(({ line, problem }) => `${places.timeline}:${line}: ${problem}`) }
      },
      (problem) => ({ entries: [], problems: [problem] }),
    ),
  )

/** The previous list if it has the same elements. */
const keptList = <T>(before: readonly T[], next: readonly T[]): readonly T[] =>
  before.length === next.length && next.every((one, index) => one === before[index]) ? before : next
