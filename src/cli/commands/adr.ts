import { type Command, does } from '../call/command.ts'
import { columns } from '../print/columns.ts'
import { text } from '../call/values.ts'
import { argument, needed, option, pick } from '../call/words.ts'

const id = argument('ID', 'Decision, such as ADR-005', text)
const agent = option('--agent', 'A', 'Agent that decides (default: a person)', text)

/** Decisions of the project (seed 001): drafts until another person or agent accepts them, unchanged from then on. */
export const adrCommands: readonly Command[] = [
  does({
    path: 'memory adr propose',
    summary: 'Write the draft of a decision, or replace it',
    words: {
      id,
      agent,
      file: needed('--file', 'F', "The draft, beginning with '# ADR-005: title'; '-' for standard input", text),
    },
    run: async ({ id, agent, file }, call) => {
      const { proposeAdr, fileText, writing } = await import('../verbs/project-memory-index.ts')
      const draft = await fileText(file, call)
      const { place, writer } = await writing(call, agent)
      const adr = proposeAdr(place, { id, text: draft }, writer)
      return { json: adr, text: `${adr.id} is a draft in ${adr.path}.` }
    },
    example: 'memory adr propose ADR-005 --agent chatgpt --file draft.md',
  }),
  does({
    path: 'memory adr accept',
    summary: 'Accept a draft of another author; an accepted decision never changes',
    words: { id, agent },
    run: async ({ id, agent }, call) => {
      const { acceptAdr, writing } = await import('../verbs/project-memory-index.ts')
      const { place, writer } = await writing(call, agent)
      const adr = acceptAdr(place, id, writer)
      return { json: adr, text: `${adr.id} is accepted.` }
    },
    example: 'memory adr accept ADR-005 --agent claude',
  }),
  does({
    path: 'memory adr supersede',
    summary: 'Replace an accepted decision with another one; neither file changes',
    words: {
      old: argument('OLD', 'Decision to replace', text),
      by: needed('--by', 'NEW', 'Accepted decision that replaces it', text),
      agent,
    },
    run: async ({ old, by, agent }, call) => {
      const { supersedeAdr, writing } = await import('../verbs/project-memory-index.ts')
      const { place, writer } = await writing(call, agent)
      const adr = supersedeAdr(place, { old, by }, writer)
      return { json: adr, text: `${adr.id} is superseded.` }
    },
    example: 'memory adr supersede ADR-005 --by ADR-009',
  }),
  does({
    path: 'memory adr link',
    summary: 'Relate two decisions; circular dependencies are refused',
    words: {
      from: argument('FROM', 'Decision that depends, extends or blocks', text),
      key: pick('RELATION', 'Relation to the other decision', ['depends_on', 'extends', 'blocks']),
      to: argument('TO', 'The other decision', text),
      agent,
    },
    run: async ({ from, key, to, agent }, call) => {
      const { linkAdrs, writing } = await import('../verbs/project-memory-index.ts')
      const { place, writer } = await writing(call, agent)
      const link = linkAdrs(place, { from, key, to }, writer)
      return { json: link, text: `${link.from} ${link.key} ${link.to}.` }
    },
    example: 'memory adr link ADR-005 depends_on ADR-004',
  }),
  does({
    path: 'memory adr graph',
    summary: 'Show the graph of decisions',
    words: {},
    run: async (_, call) => {
      const { readGraph, edgesOf, nodeLines, projectOf, shownText } = await import('../verbs/project-memory-index.ts')
      const { nodes } = readGraph((await projectOf(call)).place)
      const json = nodes.map((node) => ({
        id: node.id,
        status: node.status,
        edges: edgesOf(node).map(({ key, targets }) => ({ key, targets })),
      }))
      return {
        json,
        text:
          nodes.length === 0
            ? 'There are no decisions yet.'
            : shownText(nodes.map((node) => nodeLines({ ...node, body: edgesOf(node) }).join('\n')).join('\n\n')),
      }
    },
    example: 'memory adr graph',
  }),
  does({
    path: 'memory adr list',
    summary: 'List decisions with their status',
    words: {},
    run: async (_, call) => {
      const { listAdrs, projectOf } = await import('../verbs/project-memory-index.ts')
      const adrs = listAdrs((await projectOf(call)).place)
      const table = columns(
        ['ID', 'STATUS', 'TITLE'],
        adrs.map((adr) => [adr.id, adr.status, adr.title]),
      )
      return { json: adrs, text: adrs.length === 0 ? 'There are no decisions yet.' : table }
    },
    example: 'memory adr list',
  }),
  does({
    path: 'memory adr show',
    summary: 'Print a decision',
    words: { id },
    run: async ({ id }, call) => {
      const { showAdr, projectOf, shownText } = await import('../verbs/project-memory-index.ts')
      const adr = showAdr((await projectOf(call)).place, id)
      const status = adr.status === 'Superseded' ? `${adr.id} is superseded. Its text:\n\n` : ''
      return { json: adr, text: status + shownText(adr.content) }
    },
    example: 'memory adr show ADR-005',
  }),
]
