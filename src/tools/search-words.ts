/** Words that a request has and a tool is not told by. */
const empty = new Set(
  (
    'a about also an and any are as at be by can could do for from get give have help how i if in into is it its let like me my ' +
    'need of on or our please provide so some tell than that the their them there this to use using want was we what when ' +
    'where which who will with would you your'
  ).split(' '),
)

/** The words of a text as they are compared: `listOpenPRs` has list, open and pr, and so has `list_open_prs`. */
export function wordsOf(text: string): string[] {
  const words = text
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const telling = words.filter((word) => !empty.has(word))
  return (telling.length > 0 ? telling : words).map(stem)
}

/** Forms of one word as one. It need not be a word, only the same for all of them. */
function stem(word: string): string {
  const one =
    word.length > 4
      ? word
          .replace(/ies$/, 'y')
          .replace(/sses$/, 'ss')
          .replace(/([^s])s$/, '$1')
      : word
  const root = one.length > 6 ? one.replace(/(ations?|ating|ated|ates?|ing|ed|ion|er|or|ment|ity)$/, '') : one
  return root.replace(/e$/, '')
}
