import clojure from 'highlight.js/lib/languages/clojure'
import cmake from 'highlight.js/lib/languages/cmake'
import dart from 'highlight.js/lib/languages/dart'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import elixir from 'highlight.js/lib/languages/elixir'
import erlang from 'highlight.js/lib/languages/erlang'
import groovy from 'highlight.js/lib/languages/groovy'
import haskell from 'highlight.js/lib/languages/haskell'
import julia from 'highlight.js/lib/languages/julia'
import nix from 'highlight.js/lib/languages/nix'
import ocaml from 'highlight.js/lib/languages/ocaml'
import powershell from 'highlight.js/lib/languages/powershell'
import protobuf from 'highlight.js/lib/languages/protobuf'
import scala from 'highlight.js/lib/languages/scala'
import { common, createLowlight } from 'lowlight'
import type { CodePart } from '../../../../components/base/theme.ts'

// The only module that loads the highlighter: by a dynamic import, after a review was opened.

const lowlight = createLowlight({
  ...common,
  ...{ clojure, cmake, dart, dockerfile, elixir, erlang, groovy, haskell, julia, nix, ocaml, powershell, protobuf },
  scala,
})
lowlight.registerAlias({ typescript: ['mts', 'cts'], javascript: ['mjs', 'cjs'], xml: ['vue', 'svelte'] })
lowlight.registerAlias({ bash: ['bashrc', 'zshrc', 'profile'], json: ['jsonl', 'webmanifest'], groovy: ['gradle'] })

/** The language of a file by its name; undefined if it has none that is known. */
export const languageOf = (path: string): string | undefined => {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const words = name.split('.').filter(Boolean)
  return [words.at(-1)!, words[0]!].find((word) => word !== undefined && lowlight.registered(word))
}

/** The parts of each line of a text. */
export const partsIn = (language: string, lines: readonly string[]): readonly Part[][] => {
  const all: Part[][] = lines.map(() => [])
  let [line, column] = [0, 0]
  const add = (text: string, part: CodePart | null): void => {
    for (const [n, piece] of text.split('\n').entries()) {
      if (n > 0) [line, column] = [line + 1, 0]
      if (part !== null && piece.trim() !== '') all[line]?.push([column, column + piece.length, part])
      column += piece.length
    }
  }
  const walk = (nodes: readonly Node[], part: CodePart | null): void => {
    for (const node of nodes) {
      if (node.type === 'text') add(node.value, part)
      else if (node.type === 'element') walk(node.children, partOf(node, part))
    }
  }
  walk(lowlight.highlight(language, lines.join('\n')).children, null)
  return all
}

type Part = readonly [from: number, to: number, part: CodePart]
type Node = ReturnType<typeof lowlight.highlight>['children'][number]

/** The part that an element names; one inside another wins, and a place for code inside a text is code again. */
const partOf = (node: Extract<Node, { type: 'element' }>, outer: CodePart | null): CodePart | null => {
  const [name = ''] = node.properties['className'] ?? []
  const scope = name.replace(/^hljs-/, '')
  const part = scopes.get(scope)
  return part === undefined ? outer : part
}

/** The highlighter's scopes of each part; those of neither list look as the text around them. */
const scopesOf: Readonly<Record<CodePart, readonly string[]>> = {
  keyword: ['keyword', 'section', 'name', 'selector-tag', 'doctag'],
  name: ['built_in', 'type', 'title', 'attr', 'attribute', 'selector-class', 'selector-id', 'meta'],
  number: ['literal', 'number', 'symbol', 'bullet'],
  string: ['string', 'regexp', 'link', 'code'],
  comment: ['comment', 'quote'],
}
const plain = ['class', 'function', 'params', 'subst', 'tag', 'property']

const scopes: ReadonlyMap<string, CodePart | null> = new Map<string, CodePart | null>([
  ...Object.entries(scopesOf).flatMap(([part, names]) => names.map((name) => [name, part as CodePart] as const)),
  ...plain.map((name) => [name, null] as const),
])
