/** Tokens of other platforms, as they are sealed: apart from the other secrets of a workspace. */

/** What a token is sealed for: a ciphertext that is copied elsewhere does not decrypt. */
export const sealContext = (workspaceId: string): string => `${workspaceId} import source`
