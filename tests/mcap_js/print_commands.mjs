// What people did to a run, from its log: node print_commands.mjs LOG. One line of JSON for each message on /command.
import { readFileSync } from "node:fs";
import { McapStreamReader } from "@mcap/core";
import { decompress } from "fzstd";

const reader = new McapStreamReader({
  decompressHandlers: { zstd: (data, size) => decompress(data, new Uint8Array(Number(size))) },
});
reader.append(readFileSync(process.argv[2]));
const topics = new Map();
for (let record; (record = reader.nextRecord()); ) {
  if (record.type === "Channel") topics.set(record.id, record.topic);
  if (record.type === "Message" && topics.get(record.channelId) === "/command")
    console.log(new TextDecoder().decode(record.data));
}
