import json, shutil
from pathlib import Path

key = json.loads(Path("/tests/expected.json").read_text())
submission, logs = Path("/app/permits.json"), Path("/logs/verifier")
rows = []
if submission.exists():
    shutil.copy(submission, logs / "submitted-permits.json")
    rows = json.loads(submission.read_text())
found = sum(row in rows for row in key)
print(f"{found} of {len(key)} permits found")
(logs / "reward.json").write_text(json.dumps({"reward": round(found / len(key), 4)}))
