/** In the order of LANGUAGES in lib/languages/languages.ts. */
export const CATALOG_LANGUAGES: string[]
export const placeholdersOf: (compiled: unknown) => Map<string, string>
export const readCatalogs: () => Map<string, Map<string, string[]>>
export const compileLanguages: () => Promise<void>
