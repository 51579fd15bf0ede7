import { join } from 'node:path'
import type { AdrFile } from '../../memory/project-memory/adr-file.ts'
import { adrFiles, parseAdrOf, readGraph } from '../../memory/project-memory/adrs.ts'
import { type DecisionLog, type DecisionNode, edgesOf } from '../../memory/project-memory/decision-graph.ts'
import { places } from '../../memory/project-memory/names.ts'
import { type ProjectPlace, readAt } from '../../memory/project-memory/store.ts'
import type { DecisionsView, DecisionView } from '../../contracts/memories.ts'
import { type KnownFiles, keptList, type Sentences } from './known-files.ts'

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
export const decisionsReader = (place: ProjectPlace, known: KnownFiles, sentence: Sentences) => {
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
