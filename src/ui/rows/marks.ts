/** The places of the words in a text. */
export const placesOf = (text: string, sought: string): readonly (readonly [number, number])[] => {
  if (sought === '') return []
  const places: [number, number][] = []
  const [lower, wanted] = [text.toLowerCase(), sought.toLowerCase()]
  // A letter whose lower case has another length would shift the highlights.
  if (lower.length !== text.length) return []
  for (let at = lower.indexOf(wanted); at !== -1 && places.length < 50; at = lower.indexOf(wanted, at + wanted.length))
    places.push([at, at + wanted.length])
  return places
}
