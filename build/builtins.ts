import { isBuiltin } from 'node:module'
import type { Plugin, PluginContext } from 'rolldown'

type Statement = ReturnType<PluginContext['parse']>['body'][number]
type Import = Extract<Statement, { readonly type: 'ImportDeclaration' }>

/**
 * Takes Node's own modules by `process.getBuiltinModule`. An `import` of one makes a namespace of all that it exports and
 * reads each getter for it: `node:http` then loads an HTTP client, `node:util` and `node:crypto` parts of the web's
 * interfaces. The entry keeps its imports: an old Node, which it answers with a sentence, does not have the function.
 */
export const builtinsAtOnce = (): Pick<Plugin, 'name'> & Pick<Required<Plugin>, 'renderChunk'> => ({
  name: 'builtins-at-once',
  renderChunk(code, chunk) {
    if (chunk.isEntry) return null
    const imports = this.parse(code).body.filter(isImportOfBuiltin)
    if (imports.length === 0) return null
    return imports.reduceRight((text, one) => text.slice(0, one.start) + taking(one) + text.slice(one.end), code)
  },
})

const isImportOfBuiltin = (statement: Statement): statement is Import =>
  statement.type === 'ImportDeclaration' && isBuiltin(statement.source.value)

/** `const { name: local } = …` for an import; a default or a namespace is the module itself. */
const taking = ({ source, specifiers }: Import): string => {
  const module = `globalThis.process.getBuiltinModule(${JSON.stringify(source.value)})`
  const names = specifiers.map((specifier) => {
    if (specifier.type !== 'ImportSpecifier') return { local: specifier.local.name }
    const imported = specifier.imported.type === 'Literal' ? specifier.imported.value : specifier.imported.name
    return imported === 'default' ? { local: specifier.local.name } : { local: specifier.local.name, imported }
  })
  const whole = names.filter(({ imported }) => imported === undefined)
  const parts = names.filter(({ imported }) => imported !== undefined)
  return [
    ...whole.map(({ local }) => `const ${local} = ${module};`),
    ...(parts.length === 0
      ? []
      : [`const { ${parts.map(({ local, imported }) => `${imported}: ${local}`).join(', ')} } = ${module};`]),
  ].join('')
}
