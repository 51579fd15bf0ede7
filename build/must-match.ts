type Hook = (...given: never[]) => unknown

/** The development dependencies of package.json, with their ranges. */
export type Dependencies = Readonly<Record<string, string | undefined>>

/**
 * A plugin that patches `dependency`. The build fails if the dependency is not pinned exactly, and if the plugin has
 * changed nothing, since the dependency is then another one.
 */
export const patchOf = <P extends { readonly name: string }>(
  dependency: string,
  plugin: P,
  dependencies: Dependencies,
): ReturnType<typeof mustMatch<P>> => {
  const range = dependencies[dependency]
  if (!/^\d+\.\d+\.\d+$/.test(range ?? ''))
    throw new Error(
      `${plugin.name} patches ${dependency}, which package.json names as ${range ?? 'nothing'}; pin it to one version.`,
    )
  return mustMatch(plugin)
}

const mustMatch = <P extends { readonly name: string }>(
  plugin: P,
): P & { readonly buildEnd: (error?: Error) => void } => {
  let matched = false
  const counted = Object.fromEntries(
    Object.entries(plugin).map(([name, part]: [string, unknown]) => [
      name,
      typeof part !== 'function'
        ? part
        : function (this: unknown, ...given: never[]): unknown {
            const answer = (part as Hook).apply(this, given)
            if (answer !== null && answer !== undefined && !(answer instanceof Promise)) matched = true
            if (answer instanceof Promise) return answer.then((later: unknown) => ((matched ||= later !== null), later))
            return answer
          },
    ]),
  ) as P
  return {
    ...counted,
    buildEnd: (error) => {
      if (!error && !matched)
        throw new Error(`${plugin.name} matches nothing that is bundled; a dependency has changed.`)
    },
  }
}
