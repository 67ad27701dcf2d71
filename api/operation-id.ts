import { WORKSPACE } from './operations.ts'

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** A name for code that is generated from the document: `getPartnersById`. */
export const operationId = (method: string, path: string): string => {
  const short = path.startsWith(WORKSPACE)
    ? path.slice(WORKSPACE.length) || '/workspace'
    : path.replace(/^\/api\//, '/')
  const words = short.split('/').filter(Boolean)
  return (
    method +
    words
      .map((word) =>
        word.startsWith('{')
          ? `By${capital(word.slice(1, -1))}`
          : word.split('-').map(capital).join(''),
      )
      .join('')
  )
}
