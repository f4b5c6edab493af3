"""Runs the SQL of the ClickHouse component in the ClickHouse that the package `chdb` embeds, on a real broker.

    python read-clicks.py <folder of the component> <code> <clicks to wait for>

Prints what the view tells of the code, as JSON, once that many clicks are there or 30 s have passed. An embedded ClickHouse
has no threads that feed materialized views from Kafka (its message broker pool has the size 0), so the query of each view
is run by hand here, on the same table of the engine Kafka; a server does that by itself.
"""

import json
import os
import re
import sys
import time
import uuid
from xml.etree import ElementTree

from chdb import session

folder, code, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3])
clickhouse = session.Session()


def ask(query):
    return [json.loads(line) for line in str(clickhouse.query(query, "JSONEachRow")).splitlines()]


# The settings are those of config.xml's named collection; but each run reads as a group of its own.
settings = {}
for setting in ElementTree.parse(f"{folder}/config.xml").find("named_collections/click_topic"):
    variable = setting.get("from_env")
    settings[setting.tag] = os.environ[variable] if variable else setting.text
settings["kafka_group_name"] += f"-{uuid.uuid4()}"
pairs = ", ".join(f"{name} = '{value}'" for name, value in settings.items())
sql = re.sub(r"--.*", "", open(f"{folder}/clicks.sql").read())
sql = sql.replace("ENGINE = Kafka(click_topic)\nSETTINGS", f"ENGINE = Kafka SETTINGS {pairs},")
views = {}
for statement in filter(str.strip, sql.split(";")):
    view = re.match(r"\s*CREATE MATERIALIZED VIEW IF NOT EXISTS \S+ TO (\S+) AS(.*)", statement, re.S)
    if view:
        views[view[1]] = view[2]
        ask(f"DESCRIBE TABLE ({view[2]})")
    else:
        for _ in range(2):  # every statement may run again
            clickhouse.query(statement)

clickhouse.query("SET stream_like_engine_allow_direct_select = 1")
deadline = time.time() + 30
while True:
    clickhouse.query(f"INSERT INTO gatepost.clicks {views['gatepost.clicks']}")
    [counted] = ask(
        "SELECT sum(clicks) AS clicks, max(visitors) AS visitors "
        f"FROM gatepost.clicks_by_hour WHERE code = '{code}'"
    )
    if int(counted["clicks"]) >= wanted or time.time() > deadline:
        break
rows = ask(f"SELECT * FROM gatepost.clicks FINAL WHERE code = '{code}' ORDER BY timestamp")
print(json.dumps({**counted, "rows": rows}))
sys.stdout.flush()
os._exit(0)  # the consumer's threads are not waited for
