import type { Tx } from "../../db/open.ts";

/** The avatar and the header of a remote account; null if it has none. */
export interface RemotePictures {
  avatarUrl: string | null;
  avatarDescription: string;
  headerUrl: string | null;
  headerDescription: string;
}

/** Stores the pictures of a remote account. Copies of its earlier ones are not served any more, and removed soon. */
export function setRemotePictures(tx: Tx, accountId: number, pictures: RemotePictures): void {
  tx.run(
    `UPDATE accounts SET avatar_remote_url = $avatarUrl, avatar_description = $avatarDescription,
       header_remote_url = $headerUrl, header_description = $headerDescription
     WHERE id = +$accountId`,
    { ...pictures, accountId },
  );
}
