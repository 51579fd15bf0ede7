/** A picture of the gallery. */
export interface Picture {
  readonly file: string
  readonly theme: string
  readonly size: string
  readonly title: string
}

/** A page with all pictures, those of one scene next to each other, so that a person can look at each one. */
export const galleryOf = (pictures: readonly Picture[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Screens of aiswarm</title>
<style>body{font:14px system-ui;margin:2rem;background:#777}figure{display:inline-block;margin:0 1rem 2rem 0;vertical-align:top}img{max-width:95vw;display:block}</style>
${[...Map.groupBy(pictures, ({ title }) => title)]
  .map(
    ([title, all]) =>
      `<h2>${title}</h2>\n${all.map(({ file, theme, size }) => `<figure><img src="${file}" alt="${title}"><figcaption>${theme}, ${size}</figcaption></figure>`).join('\n')}`,
  )
  .join('\n')}
</html>
`
