type Hook = (...given: never[]) => unknown

/** A plugin that patches a dependency; the build fails if it has changed nothing, since the dependency is then another one. */
export const mustMatch = <P extends { readonly name: string }>(
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
